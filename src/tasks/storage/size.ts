/** `core.storage.Size`: how long a file is. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { FROM } from "./storage_properties.ts";

/** Output: `size`. */
export const sizeTask: PlannedTaskType = {
  form: "planned",
  type: "core.storage.Size",
  aliases: ["core.tasks.storages.Size"],
  description: "Gives the size of a file.",
  properties: { uri: FROM },
  outputs: { size: { type: "integer", description: "Size of the file in bytes." } },
};
