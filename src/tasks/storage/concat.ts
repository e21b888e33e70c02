/** `core.storage.Concat`: joins files. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { WRITTEN_URI } from "./storage_properties.ts";

/** Output: `uri`. */
export const concatTask: PlannedTaskType = {
  form: "planned",
  type: "core.storage.Concat",
  aliases: ["core.tasks.storages.Concat"],
  description: "Joins files to one file.",
  properties: {
    files: {
      type: "list",
      required: true,
      dynamic: true,
      orText: true,
      items: { type: "string", description: "Storage URI of a file." },
      description: "Storage URIs of the files, in this order.",
    },
    separator: { type: "string", dynamic: true, description: "Text that is put between the files." },
    extension: {
      type: "string",
      dynamic: true,
      default: ".tmp",
      description: "Ending of the new file's name.",
    },
  },
  outputs: { uri: WRITTEN_URI },
};
