/** Executions, task runs, attempts and log lines as they live in memory. */
import type { Instant } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { LOG_LEVELS, type LogLevel, type TenantId } from "./flow.ts";
import type { Label } from "./label.ts";
import { MAX_LOG_LINE_CHARS } from "./limits.ts";
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
  /** Ordinals of task runs that were added or changed since the last commit. */
  readonly touched: Set<number>;
  /** Log lines written since the last commit. */
  newLogs: LogLine[];
  /** Log lines ever written; numbers the stored chunks. */
  logCount: number;
  /** Due times of the timers it waits for, by name. */
  readonly timers: Map<string, Instant>;
  /** Most severe level ever logged. */
  maxLogLevel?: LogLevel;
}

/** Adds a line to the log of an execution; it is stored with the next commit. */
export function addLogLine(execution: Execution, line: LogLine): void {
  const isCut = line.message.length > MAX_LOG_LINE_CHARS;
  const cut = `${line.message.slice(0, MAX_LOG_LINE_CHARS)} … (cut, ${line.message.length} characters)`;
  execution.newLogs.push(isCut ? { ...line, message: cut } : line);
  const { maxLogLevel } = execution;
  if (!maxLogLevel || LOG_LEVELS.indexOf(line.level) > LOG_LEVELS.indexOf(maxLogLevel)) {
    execution.maxLogLevel = line.level;
  }
}
