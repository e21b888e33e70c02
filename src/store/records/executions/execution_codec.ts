/**
 * The compact form of executions: positional JSON arrays, times in milliseconds since creation, states as numbers. A
 * one-task execution takes ~170 B instead of 1.5 KB as full JSON; above ~1 KB a row costs three times as much.
 */
import type { Instant } from "../../../base/time/clock.ts";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import {
  type Attempt,
  type Execution,
  EXECUTION_KINDS,
  type ExecutionTrigger,
  type LogLine,
  taskIdOf,
  type TaskRun,
  taskRunOf,
} from "../../../model/executions/execution.ts";
import { type FlowKey, LOG_LEVELS, type LogLevel } from "../../../model/flows/flow.ts";
import { CORRELATION_LABEL, type Label } from "../../../model/flows/label.ts";
import type { Fixtures } from "../../../model/executions/fixtures.ts";
import type { LoopRun } from "../../../model/executions/loop_run.ts";
import { type History, startedAt, type State, STATES } from "../../../model/executions/state.ts";

/** `[state, ms since creation, …]`. */
type PackedHistory = number[];

/** Rare members: `i` is the ordinal if it does not follow the previous one, `d` the decision. */
interface PackedTaskRunExtras {
  i?: number;
  d?: JsonValue;
}

/** `[task id, history, attempts, outputs | 0, parent?, value?, iteration?, extras?]`; absent trailing members are omitted. */
export type PackedTaskRun = [
  taskId: string,
  history: PackedHistory,
  attempts: PackedHistory[],
  outputs: JsonValue,
  parent?: number | null,
  value?: string | null,
  iteration?: number | null,
  extras?: PackedTaskRunExtras,
];

/**
 * `[level, ms since creation, task run ordinal, attempt, text, task id]`; -1 for a line without a task run or attempt. The id is
 * left out where something else says it: in a record the task run, in a chunk the line before of the same task run.
 */
export type PackedLogLine = [
  level: number,
  ms: number,
  taskRun: number,
  attempt: number,
  text: string,
  taskId?: string,
];

/** Rare members of executions. */
interface PackedExtras {
  t?: [id: string, type: string, variables: JsonValue];
  k?: number;
  s?: Instant;
  p?: string;
  o?: string;
  n?: number;
  c?: number;
  d?: number;
  v?: JsonValue;
  u?: JsonValue;
  m?: [name: string, dueAt: Instant][];
  l?: number;
  /** Next ordinal if it differs from the number of task runs. */
  x?: number;
  h?: 1;
  b?: string[];
  e?: number;
  q?: 1;
  a?: Instant;
  w?: [executionId: string, taskRun: number];
  /** The `LoopRun`, in its in-memory form. */
  g?: JsonValue;
  /** The `Fixtures`, in their in-memory form. */
  f?: JsonValue;
}

/** The header of an execution. Task runs and log lines are inline, or a number counts those stored under other keys. */
export type PackedExecution = [
  flowNo: number,
  revision: number,
  createdMs: Instant,
  history: PackedHistory,
  inputs: JsonValue,
  labels: string[] | 0,
  taskRuns: PackedTaskRun[] | number,
  logs: PackedLogLine[] | number,
  extras?: PackedExtras,
];

const STATE_NUMBERS = new Map<State, number>(STATES.map((state, number) => [state, number]));

/** Times relative to `origin`. */
export function packHistory(history: History, origin: Instant): PackedHistory {
  const packed: PackedHistory = [];
  for (const { state, at } of history) packed.push(STATE_NUMBERS.get(state) as number, at - origin);
  return packed;
}

/** The inverse of {@link packHistory}. */
function unpackHistory(packed: PackedHistory, origin: Instant): History {
  const history: History = [];
  for (let i = 0; i < packed.length; i += 2) {
    history.push({ state: STATES[packed[i] as number] as State, at: origin + (packed[i + 1] as number) });
  }
  return history;
}

/** Bits of the number after the history of an attempt; no number: none of them. */
const HAS_LOG_FILE = 1;
const IS_WORKER_LOST = 2;

/** The history of an attempt, and the bits that are set. */
function packAttempt({ history, hasLogFile, isWorkerLost }: Attempt, origin: Instant): PackedHistory {
  const packed = packHistory(history, origin);
  const bits = (hasLogFile ? HAS_LOG_FILE : 0) | (isWorkerLost ? IS_WORKER_LOST : 0);
  if (bits > 0) packed.push(bits);
  return packed;
}

function unpackAttempt(packed: PackedHistory, origin: Instant): Attempt {
  if (packed.length % 2 === 0) return { history: unpackHistory(packed, origin) };
  const bits = packed[packed.length - 1] as number;
  return {
    history: unpackHistory(packed.slice(0, -1), origin),
    ...(bits & HAS_LOG_FILE) > 0 && { hasLogFile: true },
    ...(bits & IS_WORKER_LOST) > 0 && { isWorkerLost: true },
  };
}

/** `origin` is subtracted from times; `pack` replaces a value, for example by a blob reference. */
export interface TaskRunPacking {
  readonly origin: Instant;
  readonly pack: (value: JsonObject) => JsonValue;
}

/** Packs a task run; `previous` is the ordinal of the preceding one. */
export function packTaskRun(taskRun: TaskRun, previous: number, packing: TaskRunPacking): PackedTaskRun {
  const { ordinal, taskId, parent, value, iteration, outputs, decision } = taskRun;
  const { origin, pack } = packing;
  const attempts = taskRun.attempts.map((attempt) => packAttempt(attempt, origin));
  const packed: PackedTaskRun = [
    taskId,
    packHistory(taskRun.history, origin),
    attempts,
    outputs ? pack(outputs) : 0,
  ];
  const isPlain = decision === undefined && ordinal === previous + 1;
  if (isPlain && parent === undefined && value === undefined && iteration === undefined) return packed;
  packed.push(parent ?? null, value ?? null, iteration ?? null);
  if (isPlain) return packed;
  const extras: PackedTaskRunExtras = {};
  if (ordinal !== previous + 1) extras.i = ordinal;
  if (decision) extras.d = pack(decision);
  packed.push(extras);
  return packed;
}

/** The ordinal of a packed task run; `previous` is that of the preceding one. */
export function ordinalOf(packed: PackedTaskRun, previous: number): number {
  return packed[7]?.i ?? previous + 1;
}

/** The inverse of {@link packTaskRun}, after blob references were resolved. */
export function unpackTaskRun(packed: PackedTaskRun, previous: number, origin: Instant): TaskRun {
  const [taskId, history, attempts, outputs, parent, value, iteration, extras] = packed;
  return {
    ordinal: ordinalOf(packed, previous),
    taskId,
    parent: parent ?? undefined,
    value: value ?? undefined,
    iteration: iteration ?? undefined,
    history: unpackHistory(history, origin),
    attempts: attempts.map((attempt) => unpackAttempt(attempt, origin)),
    outputs: outputs === 0 ? undefined : outputs as JsonObject,
    decision: extras?.d as JsonObject | undefined,
  };
}

/** Leaves the ordinal and the task id of a task run. */
export function dropAllButIds(taskRun: PackedTaskRun): void {
  taskRun[1] = [];
  taskRun[2] = [];
  taskRun[3] = 0;
  if (taskRun[5]) taskRun[5] = null;
  if (taskRun[7]) delete taskRun[7].d;
}

/** Packs a line of a record. */
export function packRecordLine(line: LogLine, { execution, origin }: LineOwner): PackedLogLine {
  const isKnown = line.taskRun === undefined || taskRunOf(execution, line.taskRun) !== undefined;
  return packLogLine(line, origin, isKnown);
}

/** Packs a line of a chunk; `before` is the one before it in the chunk. */
export function packChunkLine(line: LogLine, before: LogLine | undefined, origin: Instant): PackedLogLine {
  return packLogLine(line, origin, before !== undefined && before.taskRun === line.taskRun);
}

function packLogLine(line: LogLine, origin: Instant, isTaskKnown: boolean): PackedLogLine {
  const { level, at, taskRun = -1, attempt = -1, message, taskId } = line;
  const packed: PackedLogLine = [LOG_LEVELS.indexOf(level), at - origin, taskRun, attempt, message];
  if (!isTaskKnown && taskId !== undefined) packed.push(taskId);
  return packed;
}

/** The lines of a chunk. */
export function unpackChunkLines(packed: readonly PackedLogLine[], origin: Instant): LogLine[] {
  const lines: LogLine[] = [];
  for (const each of packed) {
    const before = lines.at(-1);
    const line = unpackLogLine(each, origin);
    const isSameTask = before?.taskRun !== undefined && before.taskRun === line.taskRun;
    lines.push(isSameTask ? { ...line, taskId: line.taskId ?? before.taskId } : line);
  }
  return lines;
}

/** The lines of a record, whose task runs the execution has already. */
export function unpackRecordLines(
  packed: readonly PackedLogLine[],
  { execution, origin }: LineOwner,
): LogLine[] {
  return packed.map((each) => {
    const line = unpackLogLine(each, origin);
    return { ...line, taskId: taskIdOf(execution, line) };
  });
}

/** The execution of a line, and the time of its creation. */
interface LineOwner {
  readonly execution: Execution;
  readonly origin: Instant;
}

function unpackLogLine(
  [level, ms, taskRun, attempt, message, taskId]: PackedLogLine,
  origin: Instant,
): LogLine {
  return {
    level: LOG_LEVELS[level] as LogLevel,
    at: origin + ms,
    taskRun: taskRun < 0 ? undefined : taskRun,
    taskId,
    attempt: attempt < 0 ? undefined : attempt,
    message,
  };
}

/** Labels without a trailing correlation label that equals the execution id; reading restores it. */
export function packLabels(execution: Execution): string[] | 0 {
  const { labels } = execution;
  const last = labels[labels.length - 1];
  const isImplied = last?.key === CORRELATION_LABEL && last.value === execution.id;
  const stored = isImplied ? labels.slice(0, -1) : labels;
  return stored.length === 0 ? 0 : stored.flatMap(({ key, value }) => [key, value]);
}

/** The inverse of {@link packLabels}. */
function unpackLabels(packed: string[] | 0, id: string): Label[] {
  const labels: Label[] = [];
  const flat = packed === 0 ? [] : packed;
  for (let i = 0; i < flat.length; i += 2) {
    labels.push({ key: flat[i] as string, value: flat[i + 1] as string });
  }
  if (!labels.some((label) => label.key === CORRELATION_LABEL)) {
    labels.push({ key: CORRELATION_LABEL, value: id });
  }
  return labels;
}

/** The rare members; `undefined` when the execution has none. `pack` replaces values that may be large. */
export function packExtras(
  execution: Execution,
  pack: (value: JsonObject) => JsonValue,
): PackedExtras | undefined {
  const { trigger, kind, scheduleDate, parentId, originalId, attemptNumber, crashes, variables, outputs } =
    execution;
  const { timers, maxLogLevel } = execution;
  const extras: PackedExtras = {};
  if (trigger) extras.t = [trigger.id, trigger.type, pack(trigger.variables)];
  if (kind !== "NORMAL") extras.k = EXECUTION_KINDS.indexOf(kind);
  if (scheduleDate !== undefined) extras.s = scheduleDate;
  if (parentId !== undefined) extras.p = parentId;
  if (originalId !== execution.id) extras.o = originalId;
  if (attemptNumber !== 1) extras.n = attemptNumber;
  if (crashes !== 0) extras.c = crashes;
  if (execution.endedAtTakeOver !== undefined) extras.d = execution.endedAtTakeOver;
  if (variables) extras.v = pack(variables);
  if (outputs) extras.u = pack(outputs);
  if (timers.size > 0) extras.m = [...timers];
  if (maxLogLevel && maxLogLevel !== "INFO") extras.l = LOG_LEVELS.indexOf(maxLogLevel);
  if (execution.nextOrdinal !== execution.taskRuns.length) extras.x = execution.nextOrdinal;
  if (execution.isHeld) extras.h = 1;
  if (execution.breakpoints) extras.b = [...execution.breakpoints];
  if (execution.exitState) extras.e = STATE_NUMBERS.get(execution.exitState);
  if (execution.isAborting) extras.q = 1;
  if (execution.originalCreatedAt !== undefined) extras.a = execution.originalCreatedAt;
  if (execution.awaitedBy) extras.w = [execution.awaitedBy.executionId, execution.awaitedBy.taskRun];
  if (execution.loop) extras.g = pack(execution.loop as unknown as JsonObject);
  if (execution.fixtures) extras.f = pack(execution.fixtures as unknown as JsonObject);
  for (const _name in extras) return extras;
  return undefined;
}

/** An execution without its task runs and log lines. */
export function unpackExecution(
  packed: PackedExecution,
  id: string,
  tenant: string,
  flow: FlowKey,
): Execution {
  const [flowNo, flowRevision, createdMs, history, inputs, labels, taskRuns, logs, extras = {}] = packed;
  const trigger: ExecutionTrigger | undefined = extras.t &&
    { id: extras.t[0], type: extras.t[1], variables: extras.t[2] as JsonObject };
  const execution: Execution = {
    tenant,
    id,
    namespace: flow.namespace,
    flowId: flow.id,
    flowNo,
    flowRevision,
    history: unpackHistory(history, createdMs),
    inputs: inputs === 0 ? undefined : inputs as JsonObject,
    labels: unpackLabels(labels, id),
    trigger,
    kind: EXECUTION_KINDS[extras.k ?? 0] ?? "NORMAL",
    scheduleDate: extras.s,
    parentId: extras.p,
    originalId: extras.o ?? id,
    awaitedBy: extras.w && { executionId: extras.w[0], taskRun: extras.w[1] },
    loop: extras.g as LoopRun | undefined,
    originalCreatedAt: extras.a,
    attemptNumber: extras.n ?? 1,
    crashes: extras.c ?? 0,
    endedAtTakeOver: extras.d,
    variables: extras.v as JsonObject | undefined,
    outputs: extras.u as JsonObject | undefined,
    taskRuns: [],
    nextOrdinal: extras.x ?? countOf(taskRuns),
    touched: new Set(),
    isHeld: extras.h === 1 ? true : undefined,
    breakpoints: extras.b,
    exitState: extras.e === undefined ? undefined : STATES[extras.e],
    isAborting: extras.q === 1 ? true : undefined,
    timers: new Map(extras.m ?? []),
    newLogs: [],
    logCount: countOf(logs),
    maxLogLevel: extras.l === undefined ? (countOf(logs) > 0 ? "INFO" : undefined) : LOG_LEVELS[extras.l],
  };
  return extras.f === undefined ? execution : { ...execution, fixtures: extras.f as unknown as Fixtures };
}

/** The creation time of an execution, to which all stored times are relative. */
export function originOf(execution: Execution): Instant {
  return startedAt(execution.history);
}

function countOf(lines: readonly unknown[] | number): number {
  return typeof lines === "number" ? lines : lines.length;
}
