/**
 * One attempt of a task: renders its properties, runs it under its timeout, and returns its end as an event. An attempt
 * changes nothing in the execution but log lines and what its end commits with it: metrics, cached outputs, files. Its end
 * is an event, and the engine decides what follows. Nothing here rejects: every failure is an end.
 */
import type { Clock } from "../../base/time/clock.ts";
import { formatDuration, readDuration } from "../../base/time/duration.ts";
import { taskRunId } from "../../base/id.ts";
import type { JsonObject } from "../../base/json.ts";
import { jsonBytes, sizeOf } from "../../base/json_size.ts";
import { MAX_DEPTH } from "../../base/json_text.ts";
import { whenKnown } from "../../base/when_known.ts";
import type { Event } from "../../engine/events.ts";
import type { AttemptFiles } from "../../model/executions/attempt_identity.ts";
import {
  addLogLine,
  cutLogMessage,
  type LogLine,
  logLinesOf,
  type TaskRun,
  taskRunOf,
} from "../../model/executions/execution.ts";
import { ITEM_PARTS } from "../../model/executions/for_each_item.ts";
import { LOG_LEVELS, type LogLevel } from "../../model/flows/flow.ts";
import { MAX_LOG_BYTES_AT_ONCE, MAX_OUTPUT_BYTES } from "../../model/limits.ts";
import { type Metric, MetricList } from "../../model/executions/metric.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { AttemptOutcome, RunnableTaskType, TaskType } from "../../model/tasks/task_catalog.ts";
import type { TaskPorts } from "../../model/ports/task_ports.ts";
import { metricsMutation } from "../../store/records/metric_records.ts";
import type { Mutation } from "../../store/store.ts";
import { startedAt } from "../../model/executions/state.ts";
import type { RemoteEnd, WorkerPort } from "../../model/ports/workers.ts";
import type { KeptShapes } from "../live/kept_shapes.ts";
import type { AttemptCommand, LiveExecution } from "../live/live_execution.ts";
import { LogFlow } from "../live/log_flow.ts";
import { type RepeatDeps, repeated } from "../live/repeated_work.ts";
import { mayRunRemotely, runRemotely } from "./remote_run.ts";
import { type CachePlace, type CachePolicy, cachePolicyOf, type TaskCache } from "./task_cache.ts";

/** Parts of the executor that attempts use. */
export interface AttemptDeps extends RepeatDeps {
  readonly ports: TaskPorts;
  readonly taskCache: TaskCache;
  readonly shapes: KeptShapes;
  /** Absent: every attempt runs in this process. */
  readonly workers?: WorkerPort;
  /** Schedules a commit of the changes of an execution. */
  readonly wake: (live: LiveExecution) => void;
}

/** The end of an attempt, and the controller that identifies it. */
export interface EndedAttempt {
  readonly event: Event;
  readonly controller: AbortController;
}

/** Renders the task's properties and runs it once; the event is its end, synchronously if the task is. Never rejects. */
export function runAttempt(
  live: LiveExecution,
  command: AttemptCommand,
  options: AttemptDeps & { readonly type: TaskType | undefined; readonly controller: AbortController },
): Event | Promise<Event> {
  const { type } = options;
  const taskRun = taskRunOf(live.execution, command.taskRun) as TaskRun;
  if (!type) return failure(live, command.taskRun, `Invalid type: ${command.task.type}`);
  const run: Attempt = { ...options, live, command, taskRun, type, files: {}, logBytes: 0 };
  const failed = (error: unknown) => {
    keepMetrics(run);
    dropFiles(run);
    return failure(live, command.taskRun, error);
  };
  const done = (event: Event) => withExtras(run, event);
  try {
    const begin = (properties: JsonObject) => attempt(run, properties);
    if (command.isResumed) return Promise.resolve(freshAttempt(run, undefined)).catch(failed).then(done);
    const render = () => live.renderer.properties(command.task, type, taskRun);
    const event = whenKnown(whenAccessible(run, render), begin);
    return event instanceof Promise ? event.catch(failed).then(done) : done(event);
  } catch (error) {
    return done(failed(error));
  }
}

/** An attempt and its results so far. */
interface Attempt extends AttemptDeps {
  readonly live: LiveExecution;
  readonly command: AttemptCommand;
  readonly taskRun: TaskRun;
  readonly type: TaskType;
  readonly controller: AbortController;
  readonly files: AttemptFiles;
  /** Bytes logged so far; counted for pure tasks only. */
  logBytes: number;
  /** Metrics reported so far. */
  metrics?: MetricList;
  /** Where its outputs will be cached. */
  place?: CachePlace;
  /** What the commit of its end stores besides. */
  extras?: Mutation[];
}

function attempt(run: Attempt, properties: JsonObject): Event | Promise<Event> {
  const policy = run.type.form === "runnable" ? cachePolicyOf(run.command.task) : undefined;
  return policy ? cachedAttempt(run, properties, policy) : freshAttempt(run, properties);
}

/** Uses cached outputs, in which case the task does not run. */
async function cachedAttempt(run: Attempt, properties: JsonObject, policy: CachePolicy): Promise<Event> {
  const { live, command: { task, taskRun }, taskCache, controller } = run;
  run.place = await taskCache.placeOf(live.execution, task, { policy, properties });
  const { place } = run;
  const outputs = await whenAccessible(run, () => taskCache.find(place, contextOf(run)));
  if (controller.signal.aborted) {
    dropFiles(run);
    return { type: "attempt_ended", taskRun, outcome: { state: "KILLED" } };
  }
  if (!outputs) return await freshAttempt(run, properties);
  logLine(run, "DEBUG", "The outputs are those of an earlier run with the same properties");
  return { type: "attempt_ended", taskRun, outcome: withFiles(run, { state: "SUCCESS", outputs }) };
}

/** Absent properties: a worker runs the attempt already. */
function freshAttempt(run: Attempt, properties: JsonObject | undefined): Event | Promise<Event> {
  const { timeout } = run.command.task;
  if (timeout === undefined) return attemptWithin(run, properties, undefined);
  const render = () => run.live.renderer.text(timeout, { task: run.command.task, taskRun: run.taskRun });
  return whenKnown(whenAccessible(run, render), (known) => attemptWithin(run, properties, timeoutMs(known)));
}

function timeoutMs(text: string): number {
  const ms = readDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new Error(
    `Invalid timeout "${text}": it must be an ISO 8601 duration such as PT10S, or a number of seconds`,
  );
}

function attemptWithin(
  run: Attempt,
  properties: JsonObject | undefined,
  limitMs: number | undefined,
): Event | Promise<Event> {
  const { type, clock, command: { taskRun, task } } = run;
  if (type.form === "waiting") return beginWait(run, type.delayMs(properties ?? {}), limitMs);
  if (type.form !== "runnable") throw new Error(`Type "${task.type}" is not supported yet`);
  const outcome = outcomeOf(run, type, properties);
  const end = (ended: RemoteEnd) => {
    if (ended === "lost" || ended === "stopped") return loss(run, ended === "stopped");
    keepResults(run, ended);
    return limitOutputs(taskRun, withFiles(run, ended));
  };
  if (!(outcome instanceof Promise)) return end(outcome);
  const ended = outcome.then(end);
  if (limitMs === undefined) return ended;
  const onTimeout = () => timeoutFailure(run, limitMs);
  return within(ended, { clock, limitMs: remainingMs(run, limitMs), onTimeout });
}

/** Of a resumed attempt, what remains of its time limit. */
function remainingMs({ command, taskRun, clock }: Attempt, limitMs: number): number {
  const attempt = command.isResumed ? taskRun.attempts[taskRun.attempts.length - 1] : undefined;
  return attempt ? Math.max(0, limitMs - (clock.now() - startedAt(attempt.history))) : limitMs;
}

/** Runs the task here or on a worker. */
function outcomeOf(
  run: Attempt,
  type: RunnableTaskType,
  properties: JsonObject | undefined,
): RemoteEnd | Promise<RemoteEnd> {
  const { workers } = run;
  const context = contextOf(run);
  if (!workers || properties && !mayRunRemotely({ type, context })) {
    return runHere(run, type, properties ?? {});
  }
  const here = (ended: RemoteEnd | undefined) => ended ?? type.run(properties ?? {}, context);
  return runRemotely({ ...run, type, context, workers, properties }).then(here);
}

/** Parts of a ForEachItem: their only effect are files, which are discarded when they fail. */
const REPEATED: ReadonlySet<string> = new Set([ITEM_PARTS.split, ITEM_PARTS.merge]);

function runHere(
  run: Attempt,
  type: RunnableTaskType,
  properties: JsonObject,
): AttemptOutcome | Promise<AttemptOutcome> {
  const work = () => type.run(properties, contextOf(run));
  return REPEATED.has(run.command.task.kind) ? whenAccessible(run, work) : work();
}

/** The result of work without an effect but files: a fault of the database delays it. */
function whenAccessible<T>(run: Attempt, work: () => T | Promise<T>): T | Promise<T> {
  const { live, files, controller: { signal } } = run;
  const begin = () => {
    // Files of a failed try.
    void files.pending?.discard();
    files.pending = undefined;
    return work();
  };
  return repeated(begin, { live, deps: run, isOver: () => signal.aborted || files.isOver === true });
}

/** The worker is gone: nothing of the attempt is kept but its log lines. */
function loss(run: Attempt, isStopped: boolean): Event {
  dropFiles(run);
  const { taskRun, attemptNumber } = run.command;
  return { type: "attempt_lost", taskRun, attempt: attemptNumber, isStopped };
}

function beginWait(run: Attempt, delayMs: number, limitMs: number | undefined): Event {
  const { clock, command: { taskRun } } = run;
  logLine(run, "INFO", `Waiting for ${formatDuration(delayMs)}`);
  const now = clock.now();
  if (limitMs === undefined || delayMs <= limitMs) {
    return { type: "wait_begun", taskRun, dueAt: now + delayMs };
  }
  return { type: "wait_begun", taskRun, dueAt: now + limitMs, failure: timeoutMessage(limitMs) };
}

/** The end of an attempt, or its timeout if that comes first; the attempt is then not waited for. */
async function within(
  ended: Promise<Event>,
  { clock, limitMs, onTimeout }: { clock: Clock; limitMs: number; onTimeout: () => Event },
): Promise<Event> {
  const timedOut = Promise.withResolvers<Event>();
  const cancel = clock.setTimer(limitMs, () => timedOut.resolve(onTimeout()));
  try {
    return await Promise.race([ended, timedOut.promise]);
  } finally {
    cancel();
  }
}

function timeoutFailure(run: Attempt, limitMs: number): Event {
  const { controller, command } = run;
  keepMetrics(run);
  dropFiles(run);
  controller.abort();
  const message = timeoutMessage(limitMs);
  return { type: "attempt_ended", taskRun: command.taskRun, outcome: { state: "FAILED" }, message };
}

function timeoutMessage(limitMs: number): string {
  return `Timeout after ${formatDuration(limitMs)}`;
}

/** Adds metrics and cached outputs to the commit of the end. */
function keepResults(run: Attempt, outcome: AttemptOutcome): void {
  if (run.files.isOver) return; // The timeout came first.
  keepMetrics(run);
  if (run.place) (run.extras ??= []).push(...run.taskCache.mutationsFor(run.place, outcome));
}

/** The end of the attempt; the slice that applies it takes what is stored besides. */
function withExtras({ live, extras }: Attempt, event: Event): Event {
  if (extras) (live.receipts ??= new Map()).set(event, { mutations: extras });
  return event;
}

function keepMetrics(run: Attempt): void {
  const { metrics, live: { execution }, command: { task, taskRun, attemptNumber }, clock } = run;
  if (!metrics) return;
  run.metrics = undefined;
  const record = { taskId: task.id, taskRun, attemptNumber, at: clock.now(), metrics: metrics.metrics };
  (run.extras ??= []).push(metricsMutation(execution.tenant, execution.id, record));
}

function reportMetric(run: Attempt, metric: Metric): void {
  const metrics = run.metrics ??= new MetricList();
  if (!metrics.add(metric) && metrics.isFirstRefusal()) {
    logLine(run, "WARN", `Too many metrics: "${metric.name}" and those after it are left out`);
  }
}

/** Adds a line to the log of the attempt if its level is at least `logLevel` of the task. */
function logLine(run: Attempt, level: LogLevel, message: string): void {
  const { live, command, taskRun, clock, files } = run;
  const { logLevel } = command.task;
  if (files.isOver) return; // A task may run on after its timeout.
  if (logLevel && LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logLevel)) return;
  const text = live.renderer.hostCalls.mask(message);
  const attempt = command.attemptNumber - 1;
  const line = { level, at: clock.now(), taskRun: taskRun.ordinal, attempt, message: text };
  live.isDirty = true;
  if (isStoredEarly(run)) {
    const flow = live.logFlow ??= logFlowOf(run);
    addLogLine(live.execution, { ...line, message: cutLogMessage(text, flow.maxMessageBytes) });
    flow.added();
  } else {
    for (const each of logLinesOf(line)) addBounded(run, each);
  }
}

/** The lines of a pure task must fit the commit of its end. */
function addBounded(run: Attempt, line: LogLine): void {
  if (run.logBytes > MAX_LOG_BYTES_AT_ONCE) return;
  run.logBytes += jsonBytes(line.message);
  const isOver = run.logBytes > MAX_LOG_BYTES_AT_ONCE;
  const message =
    `Further lines are left out: a task that ends at once logs ${MAX_LOG_BYTES_AT_ONCE} bytes at the most`;
  addLogLine(run.live.execution, isOver ? { ...line, level: "WARN", message } : line);
}

/** Adds the changed files of the attempt to its outcome; further changes are refused. */
function withFiles({ files, live }: Attempt, outcome: AttemptOutcome): AttemptOutcome {
  live.logFlow?.cancelFlush();
  const isTimedOut = files.isOver;
  files.isOver = true;
  return files.pending && !isTimedOut ? { ...outcome, files: files.pending } : outcome;
}

/** Discards the files of an attempt without outcome. */
function dropFiles({ files, live }: Attempt): void {
  live.logFlow?.cancelFlush();
  files.isOver = true;
  void files.pending?.discard();
}

/** The end of an attempt; outputs that are too large or nested too deeply fail it. */
export function limitOutputs(
  taskRun: number,
  outcome: AttemptOutcome,
): Extract<Event, { type: "attempt_ended" }> {
  if (!outcome.outputs || sizeOf(outcome.outputs, MAX_OUTPUT_BYTES) <= MAX_OUTPUT_BYTES) {
    return { type: "attempt_ended", taskRun, outcome };
  }
  const message =
    `The outputs are too large: at most ${MAX_OUTPUT_BYTES} bytes and ${MAX_DEPTH} levels can be kept; ` +
    "write large results to a file";
  return { type: "attempt_ended", taskRun, outcome: { state: "FAILED", files: outcome.files }, message };
}

/** The end of an attempt that failed with an error; secrets in its message are masked. */
export function failure(
  live: LiveExecution,
  taskRun: number,
  error: unknown,
): Extract<Event, { type: "attempt_ended" }> {
  const message = live.renderer.hostCalls.mask(error instanceof Error ? error.message : String(error));
  return { type: "attempt_ended", taskRun, outcome: { state: "FAILED" }, message };
}

function logFlowOf({ live, clock, wake }: Attempt): LogFlow {
  return new LogFlow(live.execution, { clock, wake: () => wake(live) });
}

/** Whether lines are stored before the end of the attempt; those of a pure task become durable with its end only. */
function isStoredEarly({ type }: Attempt): boolean {
  return type.form === "runnable" && !type.pure;
}

/** The context that a task runs with. */
export function contextOf(run: Attempt): RunContext {
  return new AttemptContext(run);
}

/** Created for each attempt; most tasks read little of it, so that getters compute each value on demand. */
class AttemptContext implements RunContext {
  /** Not a `#name`: a task may pass on an object that has this one as prototype. */
  private readonly attempt: Attempt;

  constructor(attempt: Attempt) {
    this.attempt = attempt;
    if (attempt.taskRun.ordinal === 0) attempt.shapes.keep("attempt", this, attempt.live.plan);
  }

  get tenant() {
    return this.attempt.live.execution.tenant;
  }

  get namespace() {
    return this.attempt.live.execution.namespace;
  }

  get flowId() {
    return this.attempt.live.execution.flowId;
  }

  get flowRevision() {
    return this.attempt.live.execution.flowRevision;
  }

  get executionId() {
    return this.attempt.live.execution.id;
  }

  get taskId() {
    return this.attempt.command.task.id;
  }

  get taskRunId() {
    return taskRunId(this.executionId, this.attempt.taskRun.ordinal);
  }

  get value() {
    return this.attempt.taskRun.value;
  }

  get attemptNumber() {
    return this.attempt.command.attemptNumber;
  }

  get signal() {
    return this.attempt.controller.signal;
  }

  get files() {
    return this.attempt.files;
  }

  get ports() {
    return this.attempt.ports;
  }

  get written() {
    return this.attempt.command.task.properties;
  }

  get labels() {
    return this.attempt.live.execution.labels;
  }

  get variables() {
    const { execution, plan } = this.attempt.live;
    return execution.variables ?? plan.flow.variables ?? {};
  }

  get workingDirectory() {
    return this.attempt.live.renderer.workPaths?.sharedDir(this.attempt.taskRun);
  }

  now() {
    return this.attempt.clock.now();
  }

  log(level: LogLevel, message: string): void {
    logLine(this.attempt, level, message);
  }

  logged() {
    const { files, live, controller } = this.attempt;
    return files.isOver ? undefined : live.logFlow?.room(controller.signal);
  }

  metric(metric: Metric): void {
    reportMetric(this.attempt, metric);
  }

  render(template: string, variables?: JsonObject) {
    const { live, command: { task }, taskRun } = this.attempt;
    return live.renderer.value(template, { task, taskRun }, variables);
  }
}
