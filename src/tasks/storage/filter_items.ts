/** `core.storage.FilterItems`: keeps the items for which a condition holds. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { FROM, itemCount, WRITTEN_URI } from "./storage_properties.ts";

/** Outputs: `uri`, `processedItemsTotal` and `droppedItemsTotal`. */
export const filterItemsTask: PlannedTaskType = {
  form: "planned",
  type: "core.storage.FilterItems",
  aliases: ["core.tasks.storages.FilterItems"],
  description: "Keeps the items of a file for which a condition is true, or leaves them out.",
  properties: {
    from: FROM,
    filterCondition: {
      type: "string",
      required: true,
      description:
        "Expression that is evaluated for each item; it reads the members of the item by their names.",
    },
    filterType: {
      type: "string",
      values: ["INCLUDE", "EXCLUDE"],
      default: "INCLUDE",
      description: "Whether items for which the condition is true are kept or left out.",
    },
    errorOrNullBehavior: {
      type: "string",
      values: ["FAIL", "INCLUDE", "EXCLUDE"],
      default: "FAIL",
      description: "What happens to an item whose condition cannot be evaluated or is null.",
    },
  },
  outputs: {
    uri: WRITTEN_URI,
    processedItemsTotal: itemCount("Number of items read."),
    droppedItemsTotal: itemCount("Number of items left out."),
  },
};
