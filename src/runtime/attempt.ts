/** One attempt of a task: its properties rendered, run under its time-out, and what it ended with. */
import type { Clock } from "../base/clock.ts";
import { formatDuration, parseDuration } from "../base/duration.ts";
import { taskRunId } from "../base/id.ts";
import type { JsonObject } from "../base/json.ts";
import { sizeOf } from "../base/json_size.ts";
import type { Event } from "../engine/events.ts";
import { addLogLine, type TaskRun, taskRunOf } from "../model/execution.ts";
import { LOG_LEVELS } from "../model/flow.ts";
import { MAX_OUTPUT_BYTES } from "../model/limits.ts";
import type { RunContext } from "../model/run_context.ts";
import type { AttemptOutcome, TaskType } from "../model/task_catalog.ts";
import type { TaskPorts } from "../model/task_ports.ts";
import type { AttemptCommand, LiveExecution } from "./live_execution.ts";

/** What an attempt needs beside its execution. */
export interface AttemptDeps {
  readonly clock: Clock;
  readonly ports: TaskPorts;
}

/** Renders the task's properties and runs it once; the event says how it ended. Never rejects. */
export function runAttempt(
  live: LiveExecution,
  command: AttemptCommand,
  options: AttemptDeps & { readonly type: TaskType | undefined; readonly controller: AbortController },
): Event | Promise<Event> {
  const { type } = options;
  const taskRun = taskRunOf(live.execution, command.taskRun) as TaskRun;
  const failed = (error: unknown) => failure(live, command.taskRun, error);
  try {
    if (!type) throw new Error(`Invalid type: ${command.task.type}`);
    const run = (properties: JsonObject) => attempt({ live, command, taskRun, ...options, type }, properties);
    const properties = live.renderer.properties(command.task, type, taskRun);
    const event = properties instanceof Promise ? properties.then(run) : run(properties);
    return event instanceof Promise ? event.catch(failed) : event;
  } catch (error) {
    return failed(error);
  }
}

/** An attempt that is about to run. */
interface Attempt extends AttemptDeps {
  readonly live: LiveExecution;
  readonly command: AttemptCommand;
  readonly taskRun: TaskRun;
  readonly type: TaskType;
  readonly controller: AbortController;
}

function attempt(run: Attempt, properties: JsonObject): Event | Promise<Event> {
  const { timeout } = run.command.task;
  if (timeout === undefined) return attemptWithin(run, properties, undefined);
  const text = run.live.renderer.text(timeout, { task: run.command.task, taskRun: run.taskRun });
  return text instanceof Promise
    ? text.then((known) => attemptWithin(run, properties, timeoutMs(known)))
    : attemptWithin(run, properties, timeoutMs(text));
}

function timeoutMs(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new Error(`Invalid timeout "${text}": it must be an ISO 8601 duration such as PT10S`);
}

function attemptWithin(
  run: Attempt,
  properties: JsonObject,
  limitMs: number | undefined,
): Event | Promise<Event> {
  const { type, clock, command: { taskRun, task } } = run;
  if (type.form === "waiting") return beginWait(run, type.delayMs(properties), limitMs);
  if (type.form !== "runnable") throw new Error(`Type "${task.type}" is not supported yet`);
  const outcome = type.run(properties, contextOf(run));
  const end = (ended: AttemptOutcome) => checkOutputs(taskRun, ended);
  if (!(outcome instanceof Promise)) return end(outcome);
  const ended = outcome.then(end);
  if (limitMs === undefined) return ended;
  return within(ended, { clock, limitMs, onTimeout: () => timeoutFailure(run, limitMs) });
}

function beginWait({ clock, command }: Attempt, delayMs: number, limitMs: number | undefined): Event {
  const { taskRun } = command;
  const now = clock.now();
  if (limitMs === undefined || delayMs <= limitMs) {
    return { type: "wait_begun", taskRun, dueAt: now + delayMs };
  }
  return { type: "wait_begun", taskRun, dueAt: now + limitMs, failure: timeoutMessage(limitMs) };
}

/** What is still under way when the time is over is told to stop, and not waited for. */
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

function timeoutFailure({ controller, command }: Attempt, limitMs: number): Event {
  controller.abort();
  const message = timeoutMessage(limitMs);
  return { type: "attempt_ended", taskRun: command.taskRun, outcome: { state: "FAILED" }, message };
}

function timeoutMessage(limitMs: number): string {
  return `Timeout after ${formatDuration(limitMs)}`;
}

function checkOutputs(taskRun: number, outcome: AttemptOutcome): Event {
  if (!outcome.outputs || sizeOf(outcome.outputs, MAX_OUTPUT_BYTES) <= MAX_OUTPUT_BYTES) {
    return { type: "attempt_ended", taskRun, outcome };
  }
  const message =
    `The outputs are too large: at most ${MAX_OUTPUT_BYTES} bytes can be kept; write large results to a file`;
  return { type: "attempt_ended", taskRun, outcome: { state: "FAILED" }, message };
}

/** The end of an attempt that could not be carried out. */
export function failure(live: LiveExecution, taskRun: number, error: unknown): Event {
  const message = live.renderer.hostCalls.mask(error instanceof Error ? error.message : String(error));
  return { type: "attempt_ended", taskRun, outcome: { state: "FAILED" }, message };
}

function contextOf({ live, command, taskRun, controller, clock, ports }: Attempt): RunContext {
  const { execution, renderer } = live;
  const { attemptNumber, task } = command;
  const least = task.logLevel ? LOG_LEVELS.indexOf(task.logLevel) : 0;
  return {
    tenant: execution.tenant,
    namespace: execution.namespace,
    flowId: execution.flowId,
    flowRevision: execution.flowRevision,
    executionId: execution.id,
    taskId: task.id,
    taskRunId: taskRunId(execution.id, taskRun.ordinal),
    value: taskRun.value,
    attemptNumber,
    signal: controller.signal,
    ports,
    get labels() {
      return execution.labels;
    },
    get variables() {
      return execution.variables ?? {};
    },
    now: () => clock.now(),
    log(level, message) {
      if (LOG_LEVELS.indexOf(level) < least) return;
      const text = renderer.hostCalls.mask(message);
      const attempt = attemptNumber - 1;
      addLogLine(execution, { level, at: clock.now(), taskRun: taskRun.ordinal, attempt, message: text });
      live.isDirty = true;
    },
    render: (template, variables) => renderer.value(template, { task, taskRun }, variables),
  };
}
