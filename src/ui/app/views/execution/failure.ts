/** Which task run made an execution fail. */
import type { ExecutionInfo, TaskRunInfo } from "../../api/execution.ts";

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
  return value === undefined ? taskId : `${taskId} (${value})`;
}

/** The execution that a task run started; `undefined` if it started none or several. */
export function childIdOf({ outputs }: TaskRunInfo): string | undefined {
  const id = outputs?.executionId;
  return typeof id === "string" ? id : undefined;
}
