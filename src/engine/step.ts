/**
 * The engine: decides what an event changes in an execution and what must be done about it. No I/O, no clock, no
 * rendering, no ids; the same calls give the same result. It owns the execution it is given and changes it in place:
 * copying a list of 10,000 task runs at each transition would make long executions quadratic.
 */
import { assertNever } from "../base/assert_never.ts";
import type { Instant } from "../base/clock.ts";
import { addLogLine, type Execution, type TaskRun } from "../model/execution.ts";
import type { LogLevel } from "../model/flow.ts";
import { currentState, isEnded, move, type State, TERMINAL_STATES } from "../model/state.ts";
import { endAttempt, endTaskRun, finalState, openTaskRun, startAttempt } from "./attempts.ts";
import type { Command, Event } from "./events.ts";
import type { FlowPlan, TaskPlace } from "./plan.ts";
import { nextPlace, outcomeOf } from "./sequence.ts";

/** Applies `event` to `execution`; gives the commands in the order in which they must be carried out. */
export function step(plan: FlowPlan, execution: Execution, event: Event, now: Instant): Command[] {
  if (isEnded(execution.history)) return [];
  switch (event.type) {
    case "started":
      return start(plan, execution, now);
    case "condition_rendered":
      return applyCondition(plan, execution, event, now);
    case "wait_begun":
      return beginWait(execution, event, now);
    case "timer_due":
      return applyTimer(plan, execution, event, now);
    case "attempt_ended":
      return applyOutcome(plan, execution, event, now);
    case "outputs_rendered":
      return applyOutputs(plan, execution, event, now);
    case "kill_asked":
      return kill(plan, execution, now);
    case "recovered":
      return recover(plan, execution, event.isGivenUp, now);
    default:
      return assertNever(event);
  }
}

/** Adds a line to the execution's log. */
export function addLog(
  execution: Execution,
  level: LogLevel,
  message: string,
  at: Instant,
  taskRun?: TaskRun,
): void {
  const attempt = taskRun ? Math.max(0, taskRun.attempts.length - 1) : undefined;
  addLogLine(execution, { level, at, taskRun: taskRun?.ordinal, attempt, message });
}

function start(plan: FlowPlan, execution: Execution, now: Instant): Command[] {
  if (currentState(execution.history) !== "CREATED") return [];
  move("execution", execution.history, "RUNNING", now);
  return advance(plan, execution, now);
}

/** Begins what comes next; when nothing does, ends the execution. */
function advance(plan: FlowPlan, execution: Execution, now: Instant): Command[] {
  if (isKilling(execution)) return endKill(execution, now);
  const place = nextPlace(plan, execution);
  if (!place) return endExecution(plan, execution, now);
  const taskRun = openTaskRun(execution, place.task, now);
  return beginTaskRun(execution, taskRun, place, now);
}

function beginTaskRun(execution: Execution, taskRun: TaskRun, { task }: TaskPlace, now: Instant): Command[] {
  if (
    task.runIf !== undefined && currentState(taskRun.history) === "CREATED" && taskRun.attempts.length === 0
  ) {
    return [{ type: "render_condition", taskRun: taskRun.ordinal, task }];
  }
  return runAttempt(execution, taskRun, { task }, now);
}

function runAttempt(
  execution: Execution,
  taskRun: TaskRun,
  { task }: Pick<TaskPlace, "task">,
  now: Instant,
): Command[] {
  startAttempt(execution, taskRun, now);
  return [{ type: "run_attempt", taskRun: taskRun.ordinal, task, attemptNumber: taskRun.attempts.length }];
}

type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;

function applyCondition(
  plan: FlowPlan,
  execution: Execution,
  event: EventOf<"condition_rendered">,
  now: Instant,
): Command[] {
  const { taskRun, place } = find(plan, execution, event.taskRun);
  if (!taskRun || !place || currentState(taskRun.history) !== "CREATED") return [];
  if (event.error !== undefined) {
    addLog(execution, "ERROR", event.error, now, taskRun);
    endTaskRun(execution, taskRun, finalState(place.task, "FAILED"), now);
    return advance(plan, execution, now);
  }
  if (event.holds) return runAttempt(execution, taskRun, place, now);
  endTaskRun(execution, taskRun, "SKIPPED", now);
  return advance(plan, execution, now);
}

function beginWait(execution: Execution, event: EventOf<"wait_begun">, now: Instant): Command[] {
  const taskRun = execution.taskRuns[event.taskRun];
  if (!taskRun || !isUnderWay(taskRun)) return [];
  return [{ type: "set_timer", timer: `task/${event.taskRun}`, dueAt: Math.max(event.dueAt, now) }];
}

function applyTimer(
  plan: FlowPlan,
  execution: Execution,
  event: EventOf<"timer_due">,
  now: Instant,
): Command[] {
  if (event.timer === "start") return start(plan, execution, now);
  const ordinal = Number(event.timer.slice("task/".length));
  return applyOutcome(plan, execution, {
    type: "attempt_ended",
    taskRun: ordinal,
    outcome: { state: "SUCCESS", outputs: {} },
  }, now);
}

function applyOutcome(
  plan: FlowPlan,
  execution: Execution,
  event: EventOf<"attempt_ended">,
  now: Instant,
): Command[] {
  const { taskRun, place } = find(plan, execution, event.taskRun);
  if (!taskRun || !place || !isUnderWay(taskRun)) return [];
  const state = isKilling(execution) ? "KILLED" : event.outcome.state;
  if (event.message !== undefined) addLog(execution, "ERROR", event.message, now, taskRun);
  if (event.outcome.outputs) taskRun.outputs = event.outcome.outputs;
  endAttempt(taskRun, state, now);
  endTaskRun(execution, taskRun, finalState(place.task, state), now);
  return advance(plan, execution, now);
}

function endExecution(plan: FlowPlan, execution: Execution, now: Instant): Command[] {
  if (plan.flow.outputs.length > 0 && execution.outputs === undefined) return [{ type: "render_outputs" }];
  move("execution", execution.history, outcomeOf(execution), now);
  return [];
}

function applyOutputs(
  plan: FlowPlan,
  execution: Execution,
  event: EventOf<"outputs_rendered">,
  now: Instant,
): Command[] {
  if (isKilling(execution)) return endKill(execution, now);
  const isExpected = currentState(execution.history) === "RUNNING" && openTaskRuns(execution).length === 0;
  if (!isExpected || nextPlace(plan, execution)) return [];
  if (event.error === undefined) {
    execution.outputs = event.outputs ?? {};
    return endExecution(plan, execution, now);
  }
  addLog(execution, "ERROR", event.error, now);
  move("execution", execution.history, "FAILED", now);
  return [];
}

/** Running attempts are interrupted and report; everything else that is open ends KILLED at once. */
function kill(plan: FlowPlan, execution: Execution, now: Instant): Command[] {
  if (isKilling(execution)) return [];
  move("execution", execution.history, "KILLING", now);
  const commands: Command[] = [{ type: "cancel_timer", timer: "start" }];
  for (const taskRun of openTaskRuns(execution)) {
    const place = plan.places.get(taskRun.taskId);
    if (place && currentState(taskRun.history) === "RUNNING") {
      move("task_run", taskRun.history, "KILLING", now);
      execution.touched.add(taskRun.ordinal);
      commands.push({ type: "cancel_timer", timer: `task/${taskRun.ordinal}` });
      commands.push({ type: "interrupt_attempt", taskRun: taskRun.ordinal });
    } else {
      endTaskRun(execution, taskRun, "KILLED", now);
    }
  }
  return [...commands, ...endKill(execution, now)];
}

function endKill(execution: Execution, now: Instant): Command[] {
  if (openTaskRuns(execution).length === 0) move("execution", execution.history, "KILLED", now);
  return [];
}

/** After a crash: an interrupted attempt ends RESUBMITTED and a new one follows; waiting task runs have their timers. */
function recover(plan: FlowPlan, execution: Execution, isGivenUp: boolean, now: Instant): Command[] {
  if (isGivenUp) return giveUp(execution, now);
  if (currentState(execution.history) === "CREATED") return start(plan, execution, now);
  const commands: Command[] = [];
  for (const taskRun of openTaskRuns(execution)) {
    const place = plan.places.get(taskRun.taskId);
    if (!place || isKilling(execution)) {
      endAttempt(taskRun, "KILLED", now);
      endTaskRun(execution, taskRun, "KILLED", now);
    } else if (currentState(taskRun.history) === "CREATED") {
      commands.push(...beginTaskRun(execution, taskRun, place, now));
    } else {
      endAttempt(taskRun, "RESUBMITTED", now);
      commands.push(...runAttempt(execution, taskRun, place, now));
    }
  }
  return commands.length > 0 ? commands : advance(plan, execution, now);
}

function giveUp(execution: Execution, now: Instant): Command[] {
  addLog(
    execution,
    "ERROR",
    `The server stopped unexpectedly ${execution.crashes} times while this execution was running`,
    now,
  );
  for (const taskRun of openTaskRuns(execution)) {
    endAttempt(taskRun, "FAILED", now);
    endTaskRun(execution, taskRun, "FAILED", now);
  }
  move("execution", execution.history, "FAILED", now);
  return [];
}

function find(
  plan: FlowPlan,
  execution: Execution,
  ordinal: number,
): { taskRun?: TaskRun; place?: TaskPlace } {
  const taskRun = execution.taskRuns[ordinal];
  return { taskRun, place: taskRun && plan.places.get(taskRun.taskId) };
}

/** A sequence has at most one open task run, and it is the last; a flowable task may have more. */
function openTaskRuns(execution: Execution): TaskRun[] {
  return execution.taskRuns.filter((taskRun) => !isEnded(taskRun.history));
}

/** An event of an attempt that nobody waits for any more is left out. */
function isUnderWay(taskRun: TaskRun): boolean {
  const state = currentState(taskRun.history);
  return state === "RUNNING" || state === "KILLING";
}

function isKilling(execution: Execution): boolean {
  return currentState(execution.history) === "KILLING";
}

/** True when nothing can happen any more without somebody asking. */
export function hasEnded(execution: Execution): boolean {
  return TERMINAL_STATES.has(currentState(execution.history) as State);
}
