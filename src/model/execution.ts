/** Executions, task runs, attempts and log lines as they live in memory. */
import type { Instant } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { LogLevel, TenantId } from "./flow.ts";
import type { Label } from "./label.ts";
import type { History } from "./state.ts";

/** What an execution was started for; only NORMAL ones are listed unless asked for. The order is stored: append only. */
export const EXECUTION_KINDS = ["NORMAL", "TEST", "PLAYGROUND"] as const;

/** One of {@link EXECUTION_KINDS}. */
export type ExecutionKind = typeof EXECUTION_KINDS[number];

/** One try of a task run. */
export interface Attempt {
  readonly history: History;
}

/** One task within one execution. */
export interface TaskRun {
  /** Position in creation order, from 0; its id is derived from it. */
  readonly ordinal: number;
  readonly taskId: string;
  /** Ordinal of the task run of the enclosing flowable task. */
  readonly parent?: number;
  /** Item of a loop, as text. */
  readonly value?: string;
  readonly iteration?: number;
  readonly history: History;
  readonly attempts: Attempt[];
  outputs?: JsonObject;
}

/** What started an execution other than a plain API call. */
export interface ExecutionTrigger {
  readonly id: string;
  readonly type: string;
  readonly variables: JsonObject;
}

/** A line that a task run or the engine wrote. */
export interface LogLine {
  readonly level: LogLevel;
  readonly at: Instant;
  /** Ordinal of its task run; `undefined` for a line of the execution itself. */
  readonly taskRun?: number;
  /** From 0. */
  readonly attempt?: number;
  readonly message: string;
}

/** One run of one flow revision. Owned by one executor at a time, which changes it through `engine/step` alone. */
export interface Execution {
  readonly tenant: TenantId;
  readonly id: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly flowNo: number;
  readonly flowRevision: number;
  readonly history: History;
  /** `undefined` when the flow declares none. */
  readonly inputs?: JsonObject;
  labels: Label[];
  readonly trigger?: ExecutionTrigger;
  readonly kind: ExecutionKind;
  readonly scheduleDate?: Instant;
  readonly parentId?: string;
  readonly originalId: string;
  /** From 1; a restart adds one. */
  attemptNumber: number;
  /** Crashes of the server while this execution was live. */
  crashes: number;
  variables?: JsonObject;
  outputs?: JsonObject;
  readonly taskRuns: TaskRun[];
  /** Log lines written since the last commit. */
  newLogs: LogLine[];
  /** Log lines ever written; numbers the stored chunks. */
  logCount: number;
  /** Most severe level ever logged. */
  maxLogLevel?: LogLevel;
}
