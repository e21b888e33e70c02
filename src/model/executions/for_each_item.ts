/** Names of a ForEachItem and of the tasks that it is made of. */

/** Canonical name of the type. */
export const FOR_EACH_ITEM = "core.flow.ForEachItem";

/** Canonical names of the types of its parts, which are listed nowhere. */
export const ITEM_PARTS = Object.freeze({
  split: `${FOR_EACH_ITEM}$ForEachItemSplit`,
  items: `${FOR_EACH_ITEM}$ForEachItemExecutable`,
  merge: `${FOR_EACH_ITEM}$ForEachItemMergeOutputs`,
});

/** The task id of a part. */
export function itemPartId(taskId: string, part: keyof typeof ITEM_PARTS): string {
  return `${taskId}_${part}`;
}

/** The task ids of all parts. */
export function itemPartIds(taskId: string): string[] {
  return (Object.keys(ITEM_PARTS) as (keyof typeof ITEM_PARTS)[]).map((part) => itemPartId(taskId, part));
}
