/** `core.flow.ForEachItem`: creates three tasks that split a file, start an execution for each batch, merge the outputs. */
import type { JsonObject } from "../../base/json.ts";
import { FOR_EACH_ITEM, ITEM_PARTS, itemPartId } from "../../model/executions/for_each_item.ts";
import type { Task } from "../../model/flows/flow.ts";
import { sequence } from "../branches.ts";
import type { Flowable } from "./flowable.ts";

/** The parent of the three tasks. */
export const forEachItem: Flowable = {
  kind: FOR_EACH_ITEM,
  parts: (task) => [
    partOf(task, "split", { items: task.properties.items ?? null, batch: task.properties.batch ?? null }),
    partOf(task, "items", task.properties),
    partOf(task, "merge", {}),
  ],
  branches: (place) => sequence(place.blocks.get("tasks")),
};

/** The task that starts the executions. */
export const forEachItemExecutions: Flowable = {
  kind: ITEM_PARTS.items,
  startsExecutions: true,
};

/** Takes no other members of the parent; retries are inherited. */
function partOf(task: Task, name: keyof typeof ITEM_PARTS, properties: JsonObject): Task {
  return {
    id: itemPartId(task.id, name),
    type: task.type + ITEM_PARTS[name].slice(FOR_EACH_ITEM.length),
    kind: ITEM_PARTS[name],
    properties,
    disabled: false,
    allowFailure: false,
    allowWarning: false,
    logLevel: task.logLevel,
    blocks: new Map(),
  };
}
