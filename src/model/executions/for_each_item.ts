/** ForEachItem and the internal tasks that it expands to. */
import type { JsonObject } from "../../base/json.ts";
import type { Task } from "../flows/flow.ts";

/** Canonical name of the type. */
export const FOR_EACH_ITEM = "core.flow.ForEachItem";

/** Canonical names of the internal types. */
export const ITEM_PARTS = Object.freeze({
  split: `${FOR_EACH_ITEM}$ForEachItemSplit`,
  items: `${FOR_EACH_ITEM}$ForEachItemExecutable`,
  merge: `${FOR_EACH_ITEM}$ForEachItemMergeOutputs`,
});

/** The task id of a part. */
export function itemPartId(taskId: string, part: keyof typeof ITEM_PARTS): string {
  return `${taskId}_${part}`;
}

/** The internal tasks that a ForEachItem runs as, in their order. */
export function itemParts(task: Task): Task[] {
  const { items = null, batch = null } = task.properties;
  return [
    partOf(task, "split", { items, batch }),
    partOf(task, "items", task.properties),
    partOf(task, "merge", {}),
  ];
}

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

/** The task ids of all parts. */
export function itemPartIds(taskId: string): string[] {
  return (Object.keys(ITEM_PARTS) as (keyof typeof ITEM_PARTS)[]).map((part) => itemPartId(taskId, part));
}
