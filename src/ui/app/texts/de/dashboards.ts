/** German texts of own dashboards. */
import type { DashboardTexts } from "../en/dashboards.ts";

/** The texts. */
export const DASHBOARDS_DE: DashboardTexts = {
  "dashboards.all": "Dashboards",
  "dashboards.overview": "Übersicht",
  "dashboards.new": "Neues Dashboard",
  "dashboards.view": "Zurück zum Dashboard",
  "dashboards.source": "Quelltext des Dashboards",
  "dashboards.unsaved": "Änderungen an diesem Dashboard sind nicht gespeichert. Seite verlassen?",
  "dashboards.preview": "Vorschau",
  "dashboards.lastRange": "Letzte {range}",
  "dashboards.showAll": "Alle {count} anzeigen",
  "dashboards.others": "{count} weitere",
  "dashboards.csv": "{title} als CSV",
  "dashboards.incomplete":
    "Nicht alle Daten wurden gelesen. Wählen Sie einen kürzeren Zeitraum oder einen Filter.",
  "dashboards.noData": "In diesem Zeitraum gibt es keine Daten.",
  "dashboards.unknown": "Kein Dashboard hat die ID {id}",
  "dashboards.noCharts": "Dieses Dashboard hat noch keine Diagramme",
  "dashboards.noChartsHint":
    "Der Quelltext führt sie unter charts auf; die Vorschau daneben zeigt jede Änderung.",
  "dashboards.duplicate": "Duplizieren",
  "dashboards.delete": "Dashboard löschen",
  "dashboards.confirmDelete":
    "Das Dashboard {title} wird endgültig gelöscht. Ausführungen und Flows bleiben erhalten.",
  "dashboards.deleted": "Gelöscht: {title}",
  "dashboards.builtIn": "Es ist eingebaut. Duplizieren Sie es, um es zu ändern.",
  "dashboards.saved": "Das Dashboard ist gespeichert",
  "dashboards.changed": "Das Dashboard wurde inzwischen geändert",
  "dashboards.changedText":
    "Seit Sie dieses Dashboard geöffnet haben, hat es jemand anders gespeichert. Beim Speichern wird jene Fassung durch Ihre ersetzt.",
  "dashboards.replace": "Ersetzen",
};
