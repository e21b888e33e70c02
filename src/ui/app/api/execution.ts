/** One execution with its task runs, as the API gives it; only members that the page of an execution reads. */
import { TERMINAL_STATES } from "../../../model/executions/state.ts";
import type { ExecutionRow, StateInfo } from "./entities.ts";

/** Any JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** One task within an execution. */
export interface TaskRunInfo {
  readonly id: string;
  readonly taskId: string;
  readonly parentTaskRunId?: string;
  /** Item of a loop. */
  readonly value?: string;
  readonly iteration?: number;
  readonly attempts?: readonly { readonly state: StateInfo }[];
  readonly outputs?: JsonRecord;
  readonly state: StateInfo;
}

/** Why an execution makes no progress. The other members depend on the reason. */
export interface WaitingInfo {
  readonly reason: string;
  readonly since: string;
  readonly until?: string;
  readonly taskId?: string;
  readonly taskRunId?: string;
  readonly taskIds?: readonly string[];
  readonly executionId?: string;
  readonly ahead?: number;
  readonly running?: number;
  readonly limit?: number;
  readonly total?: number;
  readonly ended?: number;
}

/** An execution. */
export interface ExecutionInfo extends ExecutionRow {
  readonly taskRunList?: readonly TaskRunInfo[];
  readonly inputs?: JsonRecord;
  readonly outputs?: JsonRecord;
  readonly variables?: JsonRecord;
  readonly parentId?: string;
  readonly originalId?: string;
  readonly kind?: string;
  readonly scheduleDate?: string;
  readonly metadata?: { readonly attemptNumber: number; readonly originalCreatedDate?: string };
  readonly trigger?: { readonly id?: string; readonly type?: string; readonly variables?: JsonRecord };
  readonly waiting?: WaitingInfo;
}

/** A log line. */
export interface LogEntry {
  readonly timestamp: string;
  readonly level: "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR";
  readonly taskId?: string;
  readonly taskRunId?: string;
  readonly attemptNumber?: number;
  readonly message: string;
}

/** True if nothing more happens by itself. */
export function hasEnded({ state }: { readonly state: StateInfo }): boolean {
  return TERMINAL_STATES.has(state.current);
}
