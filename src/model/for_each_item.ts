/** Names of a ForEachItem and of the tasks that it is made of. */

/** Canonical name of the type. */
export const FOR_EACH_ITEM = "core.flow.ForEachItem";

/** Canonical names of the types of its parts; no flow can name them. */
export const ITEM_PARTS = Object.freeze({
  split: `${FOR_EACH_ITEM}$ForEachItemSplit`,
  items: `${FOR_EACH_ITEM}$ForEachItemExecutable`,
  merge: `${FOR_EACH_ITEM}$ForEachItemMergeOutputs`,
});

/** The task id of a part. */
export function itemPartId(taskId: string, part: keyof typeof ITEM_PARTS): string {
  return `${taskId}_${part}`;
}
