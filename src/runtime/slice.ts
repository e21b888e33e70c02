/**
 * A slice: events are applied and pure tasks run in memory until nothing more can happen without a commit or a budget
 * is used up. A crash repeats at most a slice that nobody has seen.
 */
import type { Clock } from "../base/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { taskRunId } from "../base/id.ts";
import type { Command, Event } from "../engine/events.ts";
import { step } from "../engine/step.ts";
import { isTruthyText } from "../expr/mod.ts";
import { addLogLine, type TaskRun } from "../model/execution.ts";
import { LOG_LEVELS } from "../model/flow.ts";
import { MAX_OUTPUT_BYTES, SLICE_MAX_BYTES, SLICE_MAX_MS, SLICE_MAX_TASK_RUNS } from "../model/limits.ts";
import type { RunContext } from "../model/run_context.ts";
import type { AttemptOutcome, TaskCatalog, TaskType } from "../model/task_catalog.ts";
import { isRenderError } from "./host_functions.ts";
import type { AttemptCommand, LiveExecution } from "./live_execution.ts";

/** What slices need. */
export interface SliceDeps {
  readonly clock: Clock;
  readonly catalog: TaskCatalog;
  /** Called when an event was added outside a slice. */
  readonly wake: (live: LiveExecution) => void;
}

/** A slice under way. */
interface Slice extends SliceDeps {
  readonly isOver: () => boolean;
}

const NEVER_ABORTED = new AbortController().signal;

/** Applies events until none is left or the budget of a slice is used up. */
export function runSlice(live: LiveExecution, deps: SliceDeps): void {
  const startedMs = deps.clock.monotonicMs();
  const isOver = () => isBudgetUsed(live, deps.clock.monotonicMs() - startedMs);
  const slice: Slice = { ...deps, isOver };
  for (let event = live.events.shift(); event; event = live.events.shift()) {
    applyEvent(live, event, slice);
    if (live.events.length > 0 && isOver()) return;
  }
}

function isBudgetUsed({ execution }: LiveExecution, elapsedMs: number): boolean {
  if (execution.touched.size >= SLICE_MAX_TASK_RUNS || elapsedMs >= SLICE_MAX_MS) return true;
  if (execution.touched.size % 10 !== 0) return false;
  let bytes = 0;
  for (const line of execution.newLogs) bytes += line.message.length;
  for (const ordinal of execution.touched) {
    bytes += sizeOf(execution.taskRuns[ordinal]?.outputs ?? null, SLICE_MAX_BYTES);
  }
  return bytes >= SLICE_MAX_BYTES;
}

function applyEvent(live: LiveExecution, event: Event, deps: Slice): void {
  const { execution } = live;
  live.isDirty = true;
  if (event.type === "timer_due") endTimer(live, event.timer);
  for (const command of step(live.plan, execution, event, deps.clock.now())) perform(live, command, deps);
}

function perform(live: LiveExecution, command: Command, deps: Slice): void {
  switch (command.type) {
    case "run_attempt":
      return runOrDefer(live, command, deps);
    case "render_condition":
      return settle(live, deps, renderCondition(live, command));
    case "render_outputs":
      return settle(live, deps, renderOutputs(live));
    case "set_timer":
      live.execution.timers.set(command.timer, command.dueAt);
      live.timerChanges.push({ type: "set", name: command.timer, dueAt: command.dueAt });
      return;
    case "cancel_timer":
      return endTimer(live, command.timer);
    case "interrupt_attempt":
      return interrupt(live, command.taskRun);
  }
}

function endTimer(live: LiveExecution, name: string): void {
  const dueAt = live.execution.timers.get(name);
  if (dueAt === undefined) return;
  live.execution.timers.delete(name);
  live.timerChanges.push({ type: "delete", name: name as "start", dueAt });
}

/** An attempt that is not under way has nothing to report: it ends at once. */
function interrupt(live: LiveExecution, taskRun: number): void {
  const controller = live.running?.get(taskRun);
  if (controller) return controller.abort();
  live.deferred = live.deferred.filter((command) => command.taskRun !== taskRun);
  live.events.push({ type: "attempt_ended", taskRun, outcome: { state: "KILLED" } });
}

/** Adds the event, now or when it is known. */
function settle(live: LiveExecution, deps: SliceDeps, event: Event | Promise<Event>): void {
  if (!(event instanceof Promise)) return void live.events.push(event);
  live.awaiting++;
  void event.then((known) => {
    live.awaiting--;
    live.events.push(known);
    deps.wake(live);
  });
}

/** Log lines must not become durable without the end of their attempt: once the slice is over, a pure task waits for the next. */
function runOrDefer(live: LiveExecution, command: AttemptCommand, deps: Slice): void {
  const type = deps.catalog.find(command.task.kind);
  if (type?.form === "runnable" && (!type.pure || deps.isOver())) return void live.deferred.push(command);
  settle(live, deps, runAttempt(live, command, type, NEVER_ABORTED, deps.clock));
}

/** Renders the task's properties and runs it once; the event says how it ended. Never rejects. */
export function runAttempt(
  live: LiveExecution,
  command: AttemptCommand,
  type: TaskType | undefined,
  signal: AbortSignal,
  clock: Clock,
): Event | Promise<Event> {
  const taskRun = live.execution.taskRuns[command.taskRun] as TaskRun;
  const failed = (error: unknown) => failure(live, command.taskRun, error);
  try {
    if (!type) throw new Error(`Invalid type: ${command.task.type}`);
    const run = (properties: JsonObject) => attempt(live, command, type, properties, signal, clock);
    const properties = live.renderer.properties(command.task, type, taskRun);
    const event = properties instanceof Promise ? properties.then(run) : run(properties);
    return event instanceof Promise ? event.catch(failed) : event;
  } catch (error) {
    return failed(error);
  }
}

function attempt(
  live: LiveExecution,
  command: AttemptCommand,
  type: TaskType,
  properties: JsonObject,
  signal: AbortSignal,
  clock: Clock,
): Event | Promise<Event> {
  const { taskRun } = command;
  if (type.form === "waiting") {
    return { type: "wait_begun", taskRun, dueAt: clock.now() + type.delayMs(properties) };
  }
  if (type.form !== "runnable") throw new Error(`Type "${command.task.type}" is not supported yet`);
  const outcome = type.run(properties, contextOf(live, command, signal, clock));
  const end = (ended: AttemptOutcome) => checkOutputs(taskRun, ended);
  return outcome instanceof Promise ? outcome.then(end) : end(outcome);
}

function checkOutputs(taskRun: number, outcome: AttemptOutcome): Event {
  if (!outcome.outputs || sizeOf(outcome.outputs, MAX_OUTPUT_BYTES) <= MAX_OUTPUT_BYTES) {
    return { type: "attempt_ended", taskRun, outcome };
  }
  const message =
    `The outputs are too large: at most ${MAX_OUTPUT_BYTES} bytes can be kept; write large results to a file`;
  return { type: "attempt_ended", taskRun, outcome: { state: "FAILED" }, message };
}

function failure(live: LiveExecution, taskRun: number, error: unknown): Event {
  const message = live.renderer.hostCalls.mask(error instanceof Error ? error.message : String(error));
  return { type: "attempt_ended", taskRun, outcome: { state: "FAILED" }, message };
}

function contextOf(
  live: LiveExecution,
  command: AttemptCommand,
  signal: AbortSignal,
  clock: Clock,
): RunContext {
  const { execution, renderer } = live;
  const { taskRun, attemptNumber, task } = command;
  const least = task.logLevel ? LOG_LEVELS.indexOf(task.logLevel) : 0;
  return {
    executionId: execution.id,
    taskRunId: taskRunId(execution.id, taskRun),
    attemptNumber,
    signal,
    now: () => clock.now(),
    log(level, message) {
      if (LOG_LEVELS.indexOf(level) < least) return;
      const text = renderer.hostCalls.mask(message);
      addLogLine(execution, { level, at: clock.now(), taskRun, attempt: attemptNumber - 1, message: text });
      live.isDirty = true;
    },
  };
}

function renderCondition(
  live: LiveExecution,
  command: Extract<Command, { type: "render_condition" }>,
): Event | Promise<Event> {
  const { taskRun: ordinal, task } = command;
  const taskRun = live.execution.taskRuns[ordinal] as TaskRun;
  const decide = (text: string): Event => ({
    type: "condition_rendered",
    taskRun: ordinal,
    holds: isTruthyText(text),
  });
  const fail = (error: unknown): Event => ({
    type: "condition_rendered",
    taskRun: ordinal,
    holds: false,
    error: renderMessage(error),
  });
  return attemptRender(() => live.renderer.text(task.runIf ?? "true", { task, taskRun }), decide, fail);
}

function renderOutputs(live: LiveExecution): Event | Promise<Event> {
  const done = (outputs: JsonObject): Event => ({ type: "outputs_rendered", outputs });
  const fail = (error: unknown): Event => ({ type: "outputs_rendered", error: renderMessage(error) });
  return attemptRender(() => live.renderer.outputs(live.plan.flow.outputs), done, fail);
}

function attemptRender<T>(
  render: () => T | Promise<T>,
  done: (value: T) => Event,
  fail: (error: unknown) => Event,
): Event | Promise<Event> {
  try {
    const value = render();
    return value instanceof Promise ? value.then(done, fail) : done(value);
  } catch (error) {
    return fail(error);
  }
}

/** A bug in the renderer must not pass for a mistake in the flow. */
function renderMessage(error: unknown): string {
  if (isRenderError(error)) return error.message;
  return `Internal error while rendering: ${error instanceof Error ? error.message : String(error)}`;
}

/** Rough size of a value in characters; stops counting above `max`. */
function sizeOf(value: JsonValue, max: number): number {
  if (typeof value === "string") return value.length + 2;
  if (Array.isArray(value)) {
    let size = 2;
    for (const item of value) if ((size += sizeOf(item, max) + 1) > max) return size;
    return size;
  }
  if (!isJsonObject(value)) return 8;
  let size = 2;
  for (const name in value) {
    size += name.length + 3 + sizeOf(value[name] as JsonValue, max);
    if (size > max) return size;
  }
  return size;
}
