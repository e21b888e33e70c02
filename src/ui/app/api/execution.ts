/** One execution with its task runs, with the members that its page reads. */
import { TERMINAL_STATES } from "../../../model/executions/state.ts";
import { FIRST_TASK_RUNS } from "../../views.ts";
import { apiPath } from "../core/places.ts";
import { get } from "./client.ts";
import type { ExecutionRow, StateInfo } from "./entities.ts";
import type { Schemas } from "./schemas.ts";

/** Any JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** One task within an execution. `value` is the item of a loop. */
export type TaskRunInfo =
  & Pick<
    Schemas["TaskRun"],
    "id" | "taskId" | "parentTaskRunId" | "value" | "iteration" | "attempts" | "state"
  >
  & Partial<Pick<Schemas["TaskRun"], "outputs">>;

/** Why an execution makes no progress. Which members there are depends on the reason. */
export type WaitingInfo = Schemas["ExecutionWaiting"];

/** An execution. */
export type ExecutionInfo =
  & ExecutionRow
  & Pick<
    Schemas["Execution"],
    "inputs" | "outputs" | "variables" | "parentId" | "kind" | "scheduleDate" | "waiting" | "$shortened"
  >
  & Partial<Pick<Schemas["Execution"], "originalId" | "metadata">>
  & { readonly taskRunList?: readonly TaskRunInfo[] };

/** A log line. */
export type LogEntry = Pick<
  Schemas["LogEntry"],
  "timestamp" | "level" | "taskId" | "taskRunId" | "attemptNumber" | "message"
>;

/** True if nothing more happens by itself. */
export function hasEnded({ state }: { readonly state: StateInfo }): boolean {
  return TERMINAL_STATES.has(state.current);
}

/** Number of task runs that the execution has and `taskRunList` does not: they come later. */
export function missingTaskRuns({ $shortened }: Pick<ExecutionInfo, "$shortened">): number {
  return $shortened?.taskRuns ?? 0;
}

let early: { readonly id: string; readonly found: Promise<ExecutionInfo> } | undefined;

/** Requests an execution before the view that shows it is there. */
export function loadExecutionEarly(id: string): void {
  const found = loadBeginning(id);
  // The view that takes it reports a failure.
  found.catch(() => {});
  early = { id, found };
}

/** An execution with its first task runs; an early request for it is used once. @throws ApiError */
export function loadExecution(id: string): Promise<ExecutionInfo> {
  const taken = early?.id === id ? early.found : undefined;
  early = undefined;
  return taken ?? loadBeginning(id);
}

/** An execution with all task runs. @throws ApiError */
export function loadWholeExecution(id: string): Promise<ExecutionInfo> {
  return get<ExecutionInfo>(apiPath("executions", id));
}

/** Documents name this address, so that browsers request it at once. */
function loadBeginning(id: string): Promise<ExecutionInfo> {
  return get<ExecutionInfo>(apiPath("executions", id), { maxTaskRuns: FIRST_TASK_RUNS });
}
