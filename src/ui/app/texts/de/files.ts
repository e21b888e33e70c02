/** German: texts of files of namespaces. */
import type { FILES_EN } from "../en/files.ts";

/** All of them. */
export const FILES_DE: Readonly<Record<keyof typeof FILES_EN, string>> = {
  "files.view.text": "Text",
  "files.view.preview": "Vorschau",
  "files.view.history": "Verlauf",
  "files.views": "Ansichten von {name}",
  "files.changedMeanwhile": "Jemand hat diese Datei inzwischen gespeichert.",
  "files.deletedMeanwhile": "Diese Datei wurde inzwischen gelöscht. Speichern legt sie wieder an.",
  "files.compare": "Vergleichen",
  "files.conflict": "{name} wurde inzwischen geändert: Revision {revision}",
  "files.oneRevision": "Diese Datei hat eine Revision",
  "files.oneRevisionHint":
    "Jede gespeicherte Änderung bewahrt den vorherigen Inhalt als Revision auf. Hier wird er verglichen und wiederhergestellt.",
  "files.confirmRestore": "Der Inhalt von Revision {revision} wird die nächste Revision.",
  "files.confirmRestoreDraft":
    "Der Inhalt von Revision {revision} wird die nächste Revision. Ihre ungespeicherten Änderungen gehen verloren.",
  "files.downloadRevision": "Revision {revision} herunterladen",
  "files.isPresent": "Das ist der aktuelle Inhalt.",
  "files.present": "Revision {revision} (aktuell)",
  "files.noComparison":
    "Nur Texte bis 1 MB werden verglichen. Laden Sie die Revisionen herunter, um den Unterschied zu sehen.",
  "files.byTask": "von einer Aufgabe",
  "files.byTaskOf": "Gespeichert von einer Aufgabe der Ausführung",
  "files.search": "Dateien suchen",
  "files.matches": "Gefundene Dateien",
  "files.moreMatches": "{count} Treffer insgesamt; geben Sie mehr vom Pfad ein",
  "files.moved": "Verschoben nach {path}",
  "files.count": "{count} Dateien",
  "files.uploadFolder": "Ordner hochladen",
  "files.dropHint":
    "Dateien und Ordner hierher ziehen; ein ZIP wird entpackt. Einen Eintrag auf einen Ordner ziehen, um ihn zu verschieben.",
  "files.confirmReplace":
    "Diese Dateien gibt es schon: {names}. Sie erhalten eine neue Revision; der jetzige Inhalt bleibt im Verlauf.",
  "files.confirmDelete":
    "Die Datei {path} wird mit allen Revisionen gelöscht. Flows, die sie lesen, schlagen fehl.",
};
