/** `core.storage.DeduplicateItems`: keeps the last item of each key. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { FROM, itemCount, WRITTEN_URI } from "./storage_properties.ts";

/** Outputs: `uri`, `numKeys`, `processedItemsTotal` and `droppedItemsTotal`. */
export const deduplicateItemsTask: PlannedTaskType = {
  form: "planned",
  type: "core.storage.DeduplicateItems",
  aliases: ["core.tasks.storages.DeduplicateItems"],
  description: "Keeps the last one of the items of a file that have the same key.",
  properties: {
    from: FROM,
    expr: {
      type: "string",
      required: true,
      description:
        "Expression that gives the key of an item; it reads the members of the item by their names.",
    },
  },
  outputs: {
    uri: WRITTEN_URI,
    numKeys: itemCount("Number of different keys."),
    processedItemsTotal: itemCount("Number of items read."),
    droppedItemsTotal: itemCount("Number of items left out."),
  },
};
