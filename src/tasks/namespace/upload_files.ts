/** `core.namespace.UploadFiles`: files of the execution become namespace files. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { fileGlobs, FILES_NAMESPACE, NAMESPACE_FILE_URIS } from "./file_globs.ts";

/** Output: `files`. */
export const uploadFilesTask: PlannedTaskType = {
  form: "planned",
  type: "core.namespace.UploadFiles",
  aliases: [],
  description: "Copies files into the files of a namespace.",
  properties: {
    files: fileGlobs("Globs of files in the working directory, or a map of names to storage URIs.", {
      orMap: true,
      orText: true,
    }),
    filesMap: {
      type: "map",
      dynamic: true,
      orText: true,
      items: { type: "string", description: "Storage URI of a file." },
      description: "Storage URIs of files, by the names that they get.",
    },
    namespace: FILES_NAMESPACE,
    destination: { type: "string", dynamic: true, default: "/", description: "Folder into which they go." },
    conflict: {
      type: "string",
      dynamic: true,
      values: ["OVERWRITE", "ERROR", "SKIP"],
      default: "OVERWRITE",
      description: "What happens when a file of that name exists.",
    },
  },
  outputs: { files: NAMESPACE_FILE_URIS },
};
