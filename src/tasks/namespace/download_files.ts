/** `core.namespace.DownloadFiles`: namespace files become files of the execution. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { fileGlobs, FILES_NAMESPACE, NAMESPACE_FILE_URIS } from "./file_globs.ts";

/** Output: `files`. */
export const downloadFilesTask: PlannedTaskType = {
  form: "planned",
  type: "core.namespace.DownloadFiles",
  aliases: [],
  description: "Copies files of a namespace into the files of the execution.",
  properties: {
    files: fileGlobs("Glob of the files, or a list of globs.", { required: true }),
    namespace: FILES_NAMESPACE,
    destination: { type: "string", dynamic: true, default: "", description: "Folder into which they go." },
  },
  outputs: { files: NAMESPACE_FILE_URIS },
};
