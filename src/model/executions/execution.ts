/** Executions, task runs, attempts and log lines as they live in memory. */
import type { Instant } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { LOG_LEVELS, type LogLevel, type TenantId } from "../flows/flow.ts";
import type { Label } from "../flows/label.ts";
import { jsonBytes } from "../../base/json_size.ts";
import { MAX_LOG_CHUNK_BYTES, MAX_LOG_LINE_CHARS } from "../limits.ts";
import type { LoopRun } from "./loop_run.ts";
import type { PendingFiles } from "./pending_files.ts";
import type { History, State } from "./state.ts";

/** What an execution was started for; only NORMAL ones are listed unless asked for. The order is stored: append only. */
export const EXECUTION_KINDS = ["NORMAL", "TEST", "PLAYGROUND", "LOOP"] as const;

/** Those that a caller may start: a LOOP is a pass of a Loop. */
export const STARTABLE_KINDS = Object.freeze(EXECUTION_KINDS.filter((kind) => kind !== "LOOP"));

/** One of {@link EXECUTION_KINDS}. */
export type ExecutionKind = typeof EXECUTION_KINDS[number];

/** One try of a task run. */
export interface Attempt {
  readonly history: History;
  /** Its log can be read as a file of the execution, too. */
  readonly hasLogFile?: boolean;
}

/** The states in which an attempt may end. */
type EndState = Extract<State, "SUCCESS" | "WARNING" | "FAILED" | "KILLED" | "CANCELLED">;

/** What an attempt changes in its execution beside its own task run. */
export interface ExecutionEffects {
  /** Merged into the labels: the same key is replaced. */
  readonly labels?: readonly Label[];
  /** Replaces the variables that tasks have set. */
  readonly variables?: JsonObject;
  /** Ends the execution in that state once this task run has ended. */
  readonly exit?: EndState;
}

/** How an attempt of a runnable task ended. A thrown error ends it FAILED with the error's message in its log. */
export interface AttemptOutcome {
  readonly state: EndState;
  readonly outputs?: JsonObject;
  readonly effects?: ExecutionEffects;
  /** The files that the attempt has written or deleted. Set by the runtime, never by a task. */
  readonly files?: PendingFiles;
}

/** One task within one execution. */
export interface TaskRun {
  /** Number in creation order, from 0, never given twice; its id is derived from it. */
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
  /** What was decided when it began and must not be decided twice: the branch of an If, the values of a ForEach, … */
  decision?: JsonObject;
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
  /** The task run of another execution that waits for its end. */
  readonly awaitedBy?: { readonly executionId: string; readonly taskRun: number };
  /** The pass of a loop that it is; of kind LOOP. */
  readonly loop?: LoopRun;
  readonly originalId: string;
  /** When the first execution of a chain of retries was created; absent for that one itself. */
  readonly originalCreatedAt?: Instant;
  /** From 1; a restart adds one. */
  attemptNumber: number;
  /** Crashes of the server while this execution was live. */
  crashes: number;
  variables?: JsonObject;
  outputs?: JsonObject;
  /** In order of their ordinals; those of an earlier pass or try that were removed are missing. */
  readonly taskRuns: TaskRun[];
  /** Ordinal of the next task run. */
  nextOrdinal: number;
  /** Ordinals of task runs that were added, changed or removed since the last commit. */
  readonly touched: Set<number>;
  /** Nothing new starts until somebody resumes it. */
  isHeld?: boolean;
  /** Tasks before which it stops: `taskId` or `taskId.value`. */
  breakpoints?: readonly string[];
  /** The state in which an Exit task ends it. */
  exitState?: State;
  /** Log lines written since the last commit. */
  newLogs: LogLine[];
  /** Log lines ever written; numbers the stored chunks. */
  logCount: number;
  /** Due times of the timers it waits for, by name. */
  readonly timers: Map<string, Instant>;
  /** Most severe level ever logged. */
  maxLogLevel?: LogLevel;
}

/** The task run of that ordinal. */
export function taskRunOf({ taskRuns }: Pick<Execution, "taskRuns">, ordinal: number): TaskRun | undefined {
  const guess = taskRuns[ordinal];
  if (guess?.ordinal === ordinal) return guess;
  let low = 0;
  let high = Math.min(ordinal, taskRuns.length) - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const taskRun = taskRuns[middle] as TaskRun;
    if (taskRun.ordinal === ordinal) return taskRun;
    if (taskRun.ordinal < ordinal) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** Of a control character within JSON. */
const MAX_BYTES_PER_CHAR = 6;

/** Of a text that would take too many bytes fewer characters are kept. */
function maxChars(message: string): number {
  if (message.length <= MAX_LOG_CHUNK_BYTES / MAX_BYTES_PER_CHAR) return message.length;
  const bytes = jsonBytes(message.slice(0, MAX_LOG_LINE_CHARS));
  return bytes > MAX_LOG_CHUNK_BYTES ? MAX_LOG_CHUNK_BYTES / MAX_BYTES_PER_CHAR / 2 : MAX_LOG_LINE_CHARS;
}

/** Adds a line to the log of an execution; it is stored with the next commit. */
export function addLogLine(execution: Execution, line: LogLine): void {
  const { length } = line.message;
  const max = maxChars(line.message);
  const isCut = length > max;
  const cut = `${line.message.slice(0, max)} … (cut, ${length} characters)`;
  execution.newLogs.push(isCut ? { ...line, message: cut } : line);
  const { maxLogLevel } = execution;
  if (!maxLogLevel || LOG_LEVELS.indexOf(line.level) > LOG_LEVELS.indexOf(maxLogLevel)) {
    execution.maxLogLevel = line.level;
  }
}
