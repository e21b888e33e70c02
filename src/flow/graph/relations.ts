/** What an edge of a graph says. */

/** How a task follows the one before it. */
export type RelationType =
  | "SEQUENTIAL"
  | "PARALLEL"
  | "CHOICE"
  | "DYNAMIC"
  | "ERROR"
  | "FINALLY"
  | "AFTER_EXECUTION";

/** What is told of an edge. */
export interface Relation {
  readonly relationType: RelationType;
  /** Name of a branch. */
  readonly value?: string;
}

/** Kinds of tasks that stand for an execution of another flow. */
export const SUBFLOW_KINDS: ReadonlySet<string> = new Set(["core.flow.Subflow", "core.flow.ForEachItem"]);

/** A relation. */
export function relationOf(relationType: RelationType, value?: string): Relation {
  return value === undefined ? { relationType } : { relationType, value };
}
