/** `core.namespace.DeleteFiles`: deletes namespace files. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { fileGlobs, FILES_NAMESPACE, NAMESPACE_FILE_URIS } from "./file_globs.ts";

/** Output: `files`. */
export const deleteFilesTask: PlannedTaskType = {
  form: "planned",
  type: "core.namespace.DeleteFiles",
  aliases: [],
  description: "Deletes files of a namespace.",
  properties: {
    files: fileGlobs("Glob of the files, or a list of globs.", { required: true }),
    namespace: FILES_NAMESPACE,
    deleteParentFolder: {
      type: "boolean",
      dynamic: true,
      default: false,
      description: "Whether folders that become empty are deleted too.",
    },
  },
  outputs: { files: NAMESPACE_FILE_URIS },
};
