/** `core.storage.Reverse`: the lines of a file, last one first. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { FROM, WRITTEN_URI } from "./storage_properties.ts";

/** Output: `uri`. */
export const reverseTask: PlannedTaskType = {
  form: "planned",
  type: "core.storage.Reverse",
  aliases: ["core.tasks.storages.Reverse"],
  description: "Writes the lines of a file in the opposite order.",
  properties: {
    from: FROM,
    separator: { type: "string", dynamic: true, default: "\n", description: "Text that ends a line." },
    charset: { type: "string", dynamic: true, default: "UTF-8", description: "Character set of the file." },
  },
  outputs: { uri: WRITTEN_URI },
};
