/** `core.flow.ForEachItem`: creates three tasks that split a file, start an execution for each batch, merge the outputs. */
import { FOR_EACH_ITEM, ITEM_PARTS, itemParts } from "../../model/executions/for_each_item.ts";
import { sequence } from "../branches.ts";
import type { Flowable } from "./flowable.ts";
import { ownChildren, startsNew } from "./restarts.ts";

/** The parent of the three tasks. */
export const forEachItem: Flowable = {
  kind: FOR_EACH_ITEM,
  parts: itemParts,
  branches: (place) => sequence(place.blocks.get("tasks")),
};

/** The task that starts the executions. */
export const forEachItemExecutions: Flowable = {
  kind: ITEM_PARTS.items,
  startsExecutions: true,
  /** Only executions that it has waited for: the end of others is not part of its own. */
  restarts(task, decision, executionId) {
    const numbers = startsNew(task) ? undefined : ownChildren(decision, executionId);
    return numbers?.waits ? numbers : undefined;
  },
};
