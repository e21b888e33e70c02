/** `core.storage.LocalFiles`: puts files into a working directory, and keeps those that are there. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { textList } from "../file_properties.ts";

/** Output: `uris`. */
export const localFilesTask: PlannedTaskType = {
  form: "planned",
  type: "core.storage.LocalFiles",
  aliases: ["core.tasks.storages.LocalFiles"],
  description:
    "Creates files in the directory of a `core.flow.WorkingDirectory`, or stores files from there.",
  properties: {
    inputs: {
      type: "map",
      dynamic: true,
      orText: true,
      description: "Files to create, by relative name: a text is the content, a storage URI is fetched.",
    },
    outputs: textList("Globs of the files to store, relative to the working directory.", { orText: true }),
  },
  outputs: {
    uris: {
      type: "map",
      items: { type: "string", description: "Storage URI of the file." },
      description: "Storage URIs of the files that were stored, by name.",
    },
  },
};
