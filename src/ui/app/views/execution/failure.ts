/** Which task run made an execution fail; what task runs are called, and where expressions find them. */
import type { ExecutionInfo, TaskRunInfo } from "../../api/execution.ts";
import { memberPath } from "../../kit/value_tree.tsx";

/** The cause of a failure. */
export interface Failure {
  readonly taskRun: TaskRunInfo;
  /** Task runs that failed after it, in parallel or because of it. */
  readonly others: readonly TaskRunInfo[];
}

/**
 * The cause: the first task run that failed without a failed one within it. Flowable tasks fail because of theirs, and
 * those of `errors` and `finally` run later. `undefined` if no task run failed.
 */
export function failureOf({ taskRunList = [] }: ExecutionInfo): Failure | undefined {
  const failed = taskRunList.filter(({ state }) => state.current === "FAILED");
  const parents = new Set(failed.map(({ parentTaskRunId }) => parentTaskRunId));
  const causes = failed.filter(({ id }) => !parents.has(id));
  const [taskRun, ...others] = causes.toSorted((a, b) => endOf(a).localeCompare(endOf(b)));
  return taskRun && { taskRun, others };
}

function endOf({ state }: TaskRunInfo): string {
  return state.endDate ?? state.histories.at(-1)?.date ?? "";
}

/** `fetch (a)`: the task and the value of its loop. */
export function taskRunTitle({ taskId, value }: Pick<TaskRunInfo, "taskId" | "value">): string {
  return titleInLoops(taskId, value === undefined ? [] : [value]);
}

/** `fetch (eu, a)`: the task and the values of all loops around it. */
export function titleInLoops(taskId: string, values: readonly string[]): string {
  return values.length === 0 ? taskId : `${taskId} (${values.join(", ")})`;
}

/** The expression of the outputs of a task run: those of a task in loops are read by their values. */
export function outputsPath(taskId: string, values: readonly string[]): string {
  return [taskId, ...values].reduce(memberPath, "outputs");
}

/** Gives the values of the loops around each of these task runs, the outermost first, as the server nests the outputs. */
export function loopValues(
  taskRuns: readonly TaskRunInfo[],
): (taskRun: TaskRunInfo | undefined) => readonly string[] {
  const byId = new Map(taskRuns.map((taskRun) => [taskRun.id, taskRun]));
  return (taskRun) => {
    const values: string[] = [];
    for (let at = taskRun; at; at = byId.get(at.parentTaskRunId ?? "")) {
      if (at.value !== undefined) values.unshift(at.value);
    }
    return values;
  };
}

/** The execution that a task run started; `undefined` if it started none or several. */
export function childIdOf({ outputs }: TaskRunInfo): string | undefined {
  const id = outputs?.executionId;
  return typeof id === "string" ? id : undefined;
}
