/** Loops whose passes are executions of their own: names, and what such an execution knows of its pass. */
import type { Instant } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";

/** Canonical name of the type. */
export const LOOP = "core.flow.Loop";

/** One pass of a loop. */
export interface LoopItem {
  /** From 0. */
  readonly index: number;
  /** As text: what is no text is its JSON. */
  readonly value: string | null;
  /** Name of the value, where the loop goes over a map. */
  readonly key?: string;
}

/** What an execution is a pass of. Frozen; stored with the execution. */
export interface LoopRun {
  /** Id of the Loop. */
  readonly taskId: string;
  /** The execution that goes over the values, and its task run. */
  readonly executionId: string;
  readonly taskRun: number;
  /** When the loop began: outputs of tasks that had ended by then are seen. */
  readonly since: Instant;
  readonly item: LoopItem;
  /** Passes of the loops around it, the nearest first. */
  readonly parents: readonly LoopItem[];
}

/** `item` as expressions see it: `index`, `value`, `key`, and of the loops around it `parent` (the nearest) and `parents`. */
export function itemView({ item, parents }: LoopRun): JsonObject {
  const views = parents.map(viewOf);
  const [parent] = views;
  return parent ? { ...viewOf(item), parent, parents: views } : { ...viewOf(item), parents: views };
}

/** `index`, `value` and, in loops over maps, `key`. */
export function viewOf({ index, value, key }: LoopItem): JsonObject {
  return key === undefined ? { index, value } : { index, value, key };
}
