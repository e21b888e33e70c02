/** The order of a flow: `tasks`, after a failure `errors`, and always `finally`; and what that makes of the execution. */
import type { Execution, TaskRun } from "../model/execution.ts";
import { currentState, type State } from "../model/state.ts";
import { isStopping } from "./attempts.ts";
import type { Block, FlowPlan, TaskPlace } from "./plan.ts";

/** The task that comes after the last task run; `undefined` when everything has run. Looks at the last task run only. */
export function nextPlace(plan: FlowPlan, execution: Execution): TaskPlace | undefined {
  const last = execution.taskRuns[execution.taskRuns.length - 1];
  const place = last && plan.places.get(last.taskId);
  if (!last || !place) return firstEnabled(plan, "tasks", 0) ?? firstEnabled(plan, "finally", 0);
  const following = isStopping(last) ? undefined : firstEnabled(plan, place.block, place.index + 1);
  return following ?? firstOfNextBlock(plan, place.block, isStopping(last));
}

function firstOfNextBlock(plan: FlowPlan, block: Block, hasFailed: boolean): TaskPlace | undefined {
  if (block === "finally") return undefined;
  const errors = block === "tasks" && hasFailed ? firstEnabled(plan, "errors", 0) : undefined;
  return errors ?? firstEnabled(plan, "finally", 0);
}

/** A disabled task has no task run at all. */
function firstEnabled(plan: FlowPlan, block: Block, from: number): TaskPlace | undefined {
  const tasks = plan.flow[block];
  for (let index = from; index < tasks.length; index++) {
    const task = tasks[index];
    if (task && !task.disabled) return plan.places.get(task.id);
  }
  return undefined;
}

const SEVERITY: readonly State[] = ["SUCCESS", "WARNING", "CANCELLED", "FAILED", "KILLED"];

/** The worst end of any task run. A successful error handler does not repair a failure. */
export function outcomeOf(execution: Execution): State {
  let worst = 0;
  for (const taskRun of execution.taskRuns) worst = Math.max(worst, severity(taskRun));
  return SEVERITY[worst] as State;
}

function severity(taskRun: TaskRun): number {
  return Math.max(0, SEVERITY.indexOf(currentState(taskRun.history)));
}
