/** What the engine looks up in a flow, prepared once for each revision. */
import type { Flow, Task } from "../model/flow.ts";

/** Lists of tasks of a flow, in the order in which they run. */
export const BLOCKS = ["tasks", "errors", "finally"] as const;

/** One of {@link BLOCKS}. */
export type Block = typeof BLOCKS[number];

/** Where a task stands. */
export interface TaskPlace {
  readonly task: Task;
  readonly block: Block;
  readonly index: number;
}

/** A flow and its tasks by id. */
export interface FlowPlan {
  readonly flow: Flow;
  readonly places: ReadonlyMap<string, TaskPlace>;
}

/** Prepares a flow. */
export function planFlow(flow: Flow): FlowPlan {
  const places = new Map<string, TaskPlace>();
  for (const block of BLOCKS) {
    flow[block].forEach((task, index) => places.set(task.id, { task, block, index }));
  }
  return { flow, places };
}
