/** German: texts of KV pairs, secrets, variables and defaults of namespaces. */
import type { ITEMS_EN } from "../en/namespace_items.ts";

/** All of them. */
export const ITEMS_DE: Readonly<Record<keyof typeof ITEMS_EN, string>> = {
  "items.use": "Verwendung",
  "items.lastUsed": "Zuletzt benutzt",
  "items.readable": "Für Flows dieses Namespace lesbar",
  "items.hidden": "Verdeckt durch einen gleichnamigen Eintrag näher an diesem Namespace",
  "items.deleteSelected": "Auswahl löschen",
  "items.kvHint": "In KV-Paaren speichern und teilen Flows Werte und lesen sie über den Schlüssel:",
  "items.kvConfirmAll":
    "{count} KV-Paare und ihre Werte werden gelöscht. Flows, die sie lesen, schlagen fehl.",
  "items.kvDeletedAll": "{count} von {total} KV-Paaren gelöscht",
  "items.kvExists":
    "Das KV-Paar {key} gibt es schon. Ändern Sie es in der Liste oder wählen Sie einen anderen Schlüssel.",
  "items.secretsHint":
    "Ein Geheimnis ist ein Wert, den der Server verschlüsselt und in Logs verbirgt. Flows lesen es über seinen Namen:",
  "items.secretExists":
    "Das Geheimnis {key} gibt es schon. Ersetzen Sie es in der Liste oder wählen Sie einen anderen Namen.",
  "items.environmentSecrets":
    "Geheimnisse aus der Umgebung des Servers (Variablen SECRET_…) gelten für alle Namespaces. Hier sind sie schreibgeschützt: Ändern Sie sie dort, wo der Server gestartet wird.",
  "items.inheritedFrom": "Aus {namespace}",
  "items.inheritedServer": "Vom Server",
  "items.rename": "Umbenennen…",
  "items.renameTitle": "Namespace {namespace} umbenennen",
  "items.renameNow": "Umbenennen",
  "items.renamed": "Namespace {namespace} umbenannt",
  "items.renameHint":
    "Flows, Trigger, KV-Paare, Geheimnisse und Dateien ziehen mit ihrem Verlauf um. Bisherige Ausführungen bleiben unter dem alten Namen.",
  "items.renameBelow": "Auch untergeordnete umbenennen: {names}",
  "items.renameForce": "Trotzdem umbenennen. Diese Stellen müssen von Hand geändert werden.",
  "items.references": "Stellen, die auf ihn verweisen: {count}",
  "items.unfinished": "Nicht beendete Ausführungen: {count}. Warten Sie darauf oder brechen Sie sie ab.",
  "items.webhooks": "Die Webhook-Adressen dieser Flows ändern sich: {flows}",
};
