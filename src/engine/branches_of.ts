/** The branches around the children of a task run. */
import type { TaskRun } from "../model/executions/execution.ts";
import { type Branches, sequence } from "./branches.ts";
import { FLOWABLES } from "./flowable/registry.ts";
import type { FlowPlan } from "./plan.ts";

/** Those of the flow's `tasks` without a task run; `undefined` for a task that has no children. */
export function branchesOfTaskRun(plan: FlowPlan, taskRun: TaskRun | undefined): Branches | undefined {
  if (!taskRun) return sequence(plan.blocks.get("tasks"));
  const place = plan.places.get(taskRun.taskId);
  return place && FLOWABLES.get(place.task.kind)?.branches?.(place, taskRun.decision ?? {});
}
