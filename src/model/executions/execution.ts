/** Executions, task runs, attempts and log lines in memory. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { LOG_LEVELS, type LogLevel, type TenantId } from "../flows/flow.ts";
import type { Label } from "../flows/label.ts";
import { jsonBytes } from "../../base/json_size.ts";
import { MAX_LOG_CHUNK_BYTES, MAX_LOG_LINE_CHARS, MAX_LOG_MESSAGE_BYTES } from "../limits.ts";
import type { Fixtures } from "./fixtures.ts";
import type { LoopRun } from "./loop_run.ts";
import type { PendingFiles } from "./pending_files.ts";
import type { History, State } from "./state.ts";

/** Purposes of executions; lists show only NORMAL ones by default. The order is stored: append only. */
export const EXECUTION_KINDS = ["NORMAL", "TEST", "PLAYGROUND", "LOOP"] as const;

/** Kinds that a caller may start. A LOOP is one pass of a Loop task. */
export const STARTABLE_KINDS = Object.freeze(EXECUTION_KINDS.filter((kind) => kind !== "LOOP"));

/** One of {@link EXECUTION_KINDS}. */
export type ExecutionKind = typeof EXECUTION_KINDS[number];

/** One try of a task run. */
export interface Attempt {
  readonly history: History;
  /** Its log is also available as a file of the execution. */
  readonly hasLogFile?: boolean;
  /** It ended because its worker was lost, not because of the server or an orderly stop. */
  readonly isWorkerLost?: boolean;
}

/** The states in which an attempt may end. */
type EndState = Extract<State, "SUCCESS" | "WARNING" | "FAILED" | "KILLED" | "CANCELLED">;

/** Changes of an attempt to its execution, beyond its own task run. */
export interface ExecutionEffects {
  /** Merged into the labels; an existing key is replaced. */
  readonly labels?: readonly Label[];
  /** Replaces all variables set by tasks. */
  readonly variables?: JsonObject;
  /** Ends the execution in this state when the task run ends. */
  readonly exit?: EndState;
}

/** Result of an attempt of a runnable task. A thrown error ends it FAILED and logs the message. */
export interface AttemptOutcome {
  readonly state: EndState;
  readonly outputs?: JsonObject;
  readonly effects?: ExecutionEffects;
  /** Set by the runtime, never by a task. */
  readonly files?: PendingFiles;
  /** Of a fixture: neither a retry nor the `finally` of a Loop follows. Set by the runtime, never by a task. */
  readonly isFixture?: boolean;
}

/** One task within one execution. */
export interface TaskRun {
  /** Creation number from 0, never reused; the id of the task run is derived from it. */
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
  /** Decision made once at the start and never repeated: the branch of an If, the values of a ForEach, … */
  decision?: JsonObject;
}

/** The trigger, or other cause than an API call, that started an execution. */
export interface ExecutionTrigger {
  readonly id: string;
  readonly type: string;
  readonly variables: JsonObject;
}

/** A log line of a task run or of the engine. */
export interface LogLine {
  readonly level: LogLevel;
  readonly at: Instant;
  /** Ordinal of its task run; `undefined` for a line of the execution itself. */
  readonly taskRun?: number;
  /** Id of the task of that task run, which may be removed before the line; absent in lines of earlier versions. */
  readonly taskId?: string;
  /** From 0. */
  readonly attempt?: number;
  readonly message: string;
  /** Goes on with the message of the line before; not stored. */
  readonly isContinuation?: true;
}

/** One run of one flow revision. Owned by one executor, which modifies it only through `engine/step`. */
export interface Execution {
  readonly tenant: TenantId;
  readonly id: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly flowNo: number;
  readonly flowRevision: number;
  readonly history: History;
  /** `undefined` if the flow declares none. */
  readonly inputs?: JsonObject;
  labels: Label[];
  readonly trigger?: ExecutionTrigger;
  readonly kind: ExecutionKind;
  readonly scheduleDate?: Instant;
  readonly parentId?: string;
  /** The parent task run that waits for its end. */
  readonly awaitedBy?: { readonly executionId: string; readonly taskRun: number };
  /** The loop pass that it runs; only for kind LOOP. */
  readonly loop?: LoopRun;
  readonly originalId: string;
  /** Creation time of the first execution in a chain of retries; absent for the first one. */
  readonly originalCreatedAt?: Instant;
  /** From 1; incremented by each restart. */
  attemptNumber: number;
  /** Server crashes while this execution was live; where several processes lead in turn, take-overs without progress in between. */
  crashes: number;
  /** Task runs that had ended at the last take-over. */
  endedAtTakeOver?: number;
  variables?: JsonObject;
  outputs?: JsonObject;
  /** Ordered by ordinal, with gaps: task runs of earlier passes or attempts are removed. */
  readonly taskRuns: TaskRun[];
  /** Ordinal of the next task run. */
  nextOrdinal: number;
  /** Ordinals of task runs added, changed or removed since the last commit. */
  readonly touched: Set<number>;
  /** No new task starts until it is resumed. */
  isHeld?: boolean;
  /** Tasks to stop before: `taskId` or `taskId.value`. */
  breakpoints?: readonly string[];
  /** State in which it will end early: set by an Exit task, or while it is aborted. */
  exitState?: State;
  /** All that is open ends in steps, without waiting for an attempt, and then the execution. */
  isAborting?: true;
  /** Only of a test, and of what follows from it: other executions do not have the member, not even as `undefined`. */
  readonly fixtures?: Fixtures;
  /** Log lines written since the last commit. */
  newLogs: LogLine[];
  /** Total number of log lines; numbers the stored chunks. */
  logCount: number;
  /** Due times of pending timers, by name. */
  readonly timers: Map<string, Instant>;
  /** Most severe level logged so far. */
  maxLogLevel?: LogLevel;
  /** The last two messages of level ERROR since it is in memory, each as its first line; not stored. */
  lastErrors?: readonly LogLine[];
}

/** The task run with that ordinal; binary search, since ordinals may have gaps. */
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

/** JSON size of a control character. */
const MAX_BYTES_PER_CHAR = 6;

const CUT_NOTE = / … \(cut, \d+ (?:bytes|characters)\)$/;
const MAX_NOTE_CHARS = 50;

/** The note at the end of a message that was cut, with its whole size. */
export function cutNote(size: number, unit: "bytes" | "characters"): string {
  return ` … (cut, ${size} ${unit})`;
}

/** A message of a log, cut to so many bytes of JSON with a note. One that was cut before keeps its note. */
export function cutLogMessage(message: string, maxBytes = MAX_LOG_MESSAGE_BYTES): string {
  if (charsWithin(message, maxBytes) === message.length) return message;
  const note = CUT_NOTE.exec(message.slice(-MAX_NOTE_CHARS))?.[0] ?? cutNote(message.length, "characters");
  return message.slice(0, charsWithin(message, maxBytes - jsonBytes(note))) + note;
}

/** How many of the first characters of a text have at most so many bytes of JSON; a pair of surrogates stays together. */
function charsWithin(text: string, maxBytes: number): number {
  let low = Math.floor(maxBytes / MAX_BYTES_PER_CHAR), high = maxBytes;
  if (text.length <= low || text.length <= high && jsonBytes(text) <= maxBytes) return text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (middle <= text.length && jsonBytes(text.slice(0, middle)) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return wholePairs(text, low);
}

/** The end of a part of a text, one less if it would separate a pair of surrogates. */
function wholePairs(text: string, end: number): number {
  const isWithinPair = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return isWithinPair ? end - 1 : end;
}

/**
 * The lines that hold a message: itself if it is short; else its parts, each a millisecond after the one before. A message
 * that is too long is cut.
 */
export function logLinesOf(line: LogLine): LogLine[] {
  if (line.message.length <= MAX_LOG_CHUNK_BYTES / MAX_BYTES_PER_CHAR) return [line];
  const message = cutLogMessage(line.message);
  const lines: LogLine[] = [];
  for (let start = 0; start < message.length || lines.length === 0;) {
    const longest = message.slice(start, wholePairs(message, start + MAX_LOG_LINE_CHARS));
    const part = longest.slice(0, charsWithin(longest, MAX_LOG_CHUNK_BYTES));
    lines.push(lines.length === 0 ? { ...line, message: part } : continuation(line, lines.length, part));
    start += Math.max(1, part.length);
  }
  return lines;
}

function continuation(line: LogLine, afterMs: number, message: string): LogLine {
  return { ...line, at: line.at + afterMs, message, isContinuation: true };
}

/** The id of the task that wrote a line, also if its task run was removed; `undefined` for a line of the execution itself. */
export function taskIdOf(execution: Execution, { taskRun, taskId }: LogLine): string | undefined {
  return taskId ?? (taskRun === undefined ? undefined : taskRunOf(execution, taskRun)?.taskId);
}

/** Adds a line to the log of an execution, or the lines of a long message. The next commit stores them. */
export function addLogLine(execution: Execution, line: LogLine): void {
  for (const each of logLinesOf({ ...line, taskId: taskIdOf(execution, line) })) {
    execution.newLogs.push(each);
    if (each.level !== "ERROR" || each.isContinuation) continue;
    execution.lastErrors = [...execution.lastErrors?.slice(-1) ?? [], each];
  }
  const { maxLogLevel } = execution;
  if (!maxLogLevel || LOG_LEVELS.indexOf(line.level) > LOG_LEVELS.indexOf(maxLogLevel)) {
    execution.maxLogLevel = line.level;
  }
}
