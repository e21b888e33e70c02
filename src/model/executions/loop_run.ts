/** Passes of a Loop task; each pass is an execution. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";

/** Canonical name of the type. */
export const LOOP = "core.flow.Loop";

/** One pass of a loop. */
export interface LoopItem {
  /** From 0. */
  readonly index: number;
  /** As text; values of other types as JSON. */
  readonly value: string | null;
  /** Key of the value if the loop iterates over a map. */
  readonly key?: string;
}

/** The pass that an execution runs. Frozen; stored with the execution. */
export interface LoopRun {
  /** Id of the Loop task. */
  readonly taskId: string;
  /** The execution with the Loop, and the task run of the Loop. */
  readonly executionId: string;
  readonly taskRun: number;
  /** Start of the loop; outputs of tasks that ended by then are visible. */
  readonly since: Instant;
  readonly item: LoopItem;
  /** Passes of the enclosing loops, innermost first. */
  readonly parents: readonly LoopItem[];
}

/** The variable `item` of expressions: `index`, `value`, `key`, and of the enclosing loops `parent` (innermost) and `parents`. */
export function itemView({ item, parents }: LoopRun): JsonObject {
  const views = parents.map(viewOf);
  const [parent] = views;
  return parent ? { ...viewOf(item), parent, parents: views } : { ...viewOf(item), parents: views };
}

/** `index`, `value` and, for a loop over a map, `key`. */
export function viewOf({ index, value, key }: LoopItem): JsonObject {
  return key === undefined ? { index, value } : { index, value, key };
}
