/** What the engine looks up in a flow, prepared once for each revision. */
import type { Flow, Task } from "../model/flow.ts";
import { FLOWABLES } from "./flowable/registry.ts";
import type { TaskPlace } from "./task_place.ts";

/** Lists of tasks of a flow, in the order in which they run. */
export const BLOCKS = ["tasks", "errors", "finally", "afterExecution"] as const;

/** A flow and its tasks, nested ones included, by id and by list. */
export interface FlowPlan {
  readonly flow: Flow;
  readonly blocks: ReadonlyMap<string, readonly TaskPlace[]>;
  readonly places: ReadonlyMap<string, TaskPlace>;
}

/** Prepares a flow. */
export function planFlow(flow: Flow): FlowPlan {
  const places = new Map<string, TaskPlace>();
  const blocks = new Map<string, readonly TaskPlace[]>();
  for (const block of BLOCKS) blocks.set(block, placeTasks(flow[block], block, undefined, places));
  return { flow, blocks, places };
}

function placeTasks(
  tasks: readonly Task[],
  block: string,
  parent: TaskPlace | undefined,
  places: Map<string, TaskPlace>,
): readonly TaskPlace[] {
  const siblings: TaskPlace[] = [];
  for (const [index, task] of tasks.entries()) {
    const blocks = new Map<string, readonly TaskPlace[]>();
    const place = { task, parent, block, index, siblings, blocks };
    siblings.push(place);
    places.set(task.id, place);
    const parts = FLOWABLES.get(task.kind)?.parts?.(task);
    if (parts) blocks.set("tasks", placeTasks(parts, "tasks", place, places));
    for (const [name, nested] of task.blocks) blocks.set(name, placeTasks(nested, name, place, places));
  }
  return siblings;
}
