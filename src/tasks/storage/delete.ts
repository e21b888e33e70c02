/** `core.storage.Delete`: deletes a file. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { FROM } from "./storage_properties.ts";

/** Outputs: `uri` and `deleted`. */
export const deleteFileTask: PlannedTaskType = {
  form: "planned",
  type: "core.storage.Delete",
  aliases: ["core.tasks.storages.Delete"],
  description: "Deletes a file of an execution.",
  properties: {
    uri: FROM,
    errorOnMissing: {
      type: "boolean",
      dynamic: true,
      default: false,
      description: "Whether a missing file is a failure.",
    },
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the file." },
    deleted: { type: "boolean", description: "Whether there was such a file." },
  },
};
