/** Entities of responses, as the OpenAPI description gives them; only members that views read. */
import type { State } from "../../../model/executions/state.ts";

/** A state with its history. */
export interface StateInfo {
  readonly current: State;
  readonly histories: readonly { readonly state: State; readonly date: string }[];
  readonly startDate: string;
  readonly endDate?: string;
  /** Seconds. */
  readonly duration: number;
}

/** A label. */
export interface LabelInfo {
  readonly key: string;
  readonly value: string;
}

/** An execution in a list. */
export interface ExecutionRow {
  readonly id: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly flowRevision: number;
  readonly state: StateInfo;
  readonly labels?: readonly LabelInfo[];
  readonly trigger?: { readonly id?: string; readonly type?: string };
}

/** A log line in a list. */
export interface LogRow {
  readonly namespace: string;
  readonly flowId: string;
  /** Absent: the line is one of a trigger. */
  readonly executionId?: string;
  readonly triggerId?: string;
  readonly taskId?: string;
  readonly taskRunId?: string;
  /** ISO text. */
  readonly timestamp: string;
  readonly level: "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR";
  /** May hold ANSI sequences. */
  readonly message: string;
}
