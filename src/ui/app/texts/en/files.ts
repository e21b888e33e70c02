/** English: texts of files of namespaces. */

/** All of them. */
export const FILES_EN = {
  "files.view.text": "Text",
  "files.view.preview": "Preview",
  "files.view.history": "History",
  "files.views": "Views of {name}",
  "files.changedMeanwhile": "Somebody has saved this file meanwhile.",
  "files.deletedMeanwhile": "This file was deleted meanwhile. Saving creates it again.",
  "files.compare": "Compare",
  "files.conflict": "{name} was changed meanwhile: revision {revision}",
  "files.oneRevision": "This file has one revision",
  "files.oneRevisionHint":
    "Each saved change keeps the content before it as a revision. It is compared and restored here.",
  "files.confirmRestore": "The content of revision {revision} becomes the next revision.",
  "files.confirmRestoreDraft":
    "The content of revision {revision} becomes the next revision. Your unsaved changes are lost.",
  "files.downloadRevision": "Download revision {revision}",
  "files.isPresent": "This is the present content.",
  "files.present": "Revision {revision} (present)",
  "files.noComparison": "Only texts up to 1 MB are compared. Download the revisions to see their difference.",
  "files.byTask": "by a task",
  "files.byTaskOf": "Saved by a task of execution",
  "files.search": "Search files",
  "files.matches": "Matching files",
  "files.moreMatches": "{count} matches in all; type more of the path",
  "files.moved": "Moved to {path}",
  "files.count": "{count} files",
  "files.uploadFolder": "Upload a folder",
  "files.dropHint": "Drop files and folders here; a zip is unpacked. Drag an entry onto a folder to move it.",
  "files.confirmReplace":
    "These files exist: {names}. They get a new revision; the present content stays in their history.",
  "files.confirmDelete": "File {path} is deleted with all its revisions. Flows that read it fail.",
} as const;
