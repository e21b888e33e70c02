/** What runs again only as a whole: a part of it makes no sense without what went with the first time. */
import { type Execution, type TaskRun, taskRunOf } from "../model/executions/execution.ts";
import type { FlowPlan } from "./plan.ts";

/** Its tasks share a directory that is gone. */
export const RESTART_UNIT_KINDS: ReadonlySet<string> = new Set(["core.flow.WorkingDirectory"]);

/**
 * The outermost task run around a given one that runs again only as a whole, else the given one itself: a
 * WorkingDirectory around its tasks, a Pause around what runs when it begins.
 */
export function restartUnitOf(plan: FlowPlan, execution: Execution, taskRun: TaskRun): TaskRun {
  let whole = taskRun;
  for (let at = taskRun; at.parent !== undefined;) {
    const parent = taskRunOf(execution, at.parent);
    if (!parent) return whole;
    const kind = plan.places.get(parent.taskId)?.task.kind ?? "";
    if (RESTART_UNIT_KINDS.has(kind) || plan.places.get(at.taskId)?.block === "onPause") whole = parent;
    at = parent;
  }
  return whole;
}
