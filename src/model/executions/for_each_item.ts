/** Names of ForEachItem and of the internal tasks that it expands to. */

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

/** The task ids of all parts. */
export function itemPartIds(taskId: string): string[] {
  return (Object.keys(ITEM_PARTS) as (keyof typeof ITEM_PARTS)[]).map((part) => itemPartId(taskId, part));
}
