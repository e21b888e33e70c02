/**
 * The engine: decides how an event changes an execution and which commands follow. No I/O, clock, rendering or random
 * ids: the same calls give the same result. It changes the given execution in place: copying a list of 10,000 task runs
 * at each transition would make long executions quadratic.
 */
import { assertNever } from "../base/assert_never.ts";
import type { Instant } from "../base/time/clock.ts";
import { type Execution, taskRunOf } from "../model/executions/execution.ts";
import { mergeLabels } from "../model/flows/label.ts";
import type { AttemptOutcome } from "../model/tasks/task_catalog.ts";
import { currentState, isEnded } from "../model/executions/state.ts";
import { advance, dropTaskRun, endTaskRun, touchAllFrames } from "./advance.ts";
import { finalState } from "./attempts.ts";
import { awaitsCondition, startWork } from "./begin.ts";
import { applyDecision, nextPass } from "./decide.ts";
import { applyChildEnd, applyOutcome, tryAgain } from "./endings/end_attempt.ts";
import {
  applyChildrenRestart,
  applyChildrenStart,
  applyKillRequest,
  killOrphans,
} from "./children/children.ts";
import type { Command, Event, EventOf, Refusal } from "./events.ts";
import { expirePause, hold, passBreakpoint, pausedTaskRuns, resume } from "./requests/pause.ts";
import { giveUp, recover, repeatLostAttempt, resumeOpenTaskRuns } from "./recover.ts";
import { isRequest, refusalOf, type Request } from "./requests/requests.ts";
import { restart, setTaskState } from "./requests/restart.ts";
import { applyViolations, hasAssertions, setSlaTimers, violateDuration } from "./endings/sla.ts";
import { abortExecution, endExecutionIn, kill, stopOpen } from "./endings/stop.ts";
import { timeOut } from "./endings/time_limit.ts";
import { Transition } from "./transition.ts";
import type { ExecutionTree } from "./tree.ts";

/** Events that apply to ended executions. Others are ignored, unless tasks of `afterExecution` are open. */
const AFTER_THE_END: ReadonlySet<Event["type"]> = new Set([
  "restarted",
  "children_kill_asked",
  "orphans_kill_asked",
  "kill_asked",
  "state_set",
  "task_state_set",
  "labels_set",
]);

/** Responses that let work begin. */
const RENDERED: ReadonlySet<Event["type"]> = new Set(["condition_rendered", "decision_rendered"]);

/** The result of an event. */
interface Step {
  /** In the order in which they must be carried out. */
  readonly commands: Command[];
  /** Why a request was refused: nothing has changed and there are no commands. */
  readonly refusal?: Refusal;
}

/** Applies `event` to the execution, or refuses it. */
export function step(tree: ExecutionTree, event: Event, now: Instant): Step {
  const transition = new Transition(tree, now);
  transition.refusal = isRequest(event) ? refusalOf(tree.plan, tree.execution, event) : undefined;
  if (!transition.refusal) applyAndAdvance(transition, event);
  return transition;
}

function applyAndAdvance(t: Transition, event: Event): void {
  const { plan, tree, execution: { history }, commands } = t;
  const appliesAfterEnd = AFTER_THE_END.has(event.type);
  const hasEnded = isEnded(history);
  if (hasEnded && tree.open.size === 0 && !appliesAfterEnd) return;
  apply(t, event);
  if (hasEnded && appliesAfterEnd && isEnded(history)) return;
  advance(t);
  const asksAgain = hasAssertions(plan) && event.type !== "assertions_rendered" &&
    !isEnded(history) && !t.execution.isAborting &&
    !commands.some(({ type }) => type === "render_assertions");
  if (asksAgain) commands.unshift({ type: "render_assertions" }); // Before a task that ends in the same turn.
}

function apply(t: Transition, event: Event): void {
  if (t.waitsForSlot && RENDERED.has(event.type)) return; // Rendered again when the execution starts.
  if (isOfFormerAttempt(t.execution, event)) return;
  switch (event.type) {
    case "started":
      return start(t);
    case "refused_slot":
      return refuseStart(t, event.state);
    case "continued":
      return continueFrame(t, event.frame);
    case "stop_continued":
      return stopOpen(t, event);
    case "condition_rendered":
      return applyCondition(t, event);
    case "decision_rendered":
      return applyDecision(t, event);
    case "attempt_ended":
      return applyOutcome(t, event.taskRun, event.outcome, event.message);
    case "attempt_lost":
      return repeatLostAttempt(t, event);
    case "wait_begun":
      return beginWait(t, event);
    case "timer_due":
      return applyTimer(t, event.timer);
    case "outputs_rendered":
      return applyOutputs(t, event);
    case "assertions_rendered":
      return applyAssertions(t, event);
    case "children_started":
      return endIfOver(t, event.taskRun, applyChildrenStart(t, event));
    case "children_restarted":
      return endIfOver(t, event.taskRun, applyChildrenRestart(t, event));
    case "children_kill_asked":
      return applyKillRequest(t, event);
    case "orphans_kill_asked":
      return killOrphans(t, event);
    case "child_started":
      return applyChildStart(t, event);
    case "child_ended":
      return applyChildEnd(t, event);
    case "given_up":
      return giveUp(t, event.reason);
    default:
      return applyRequest(t, event);
  }
}

/** True for a response that belongs to an earlier attempt. */
export function isOfFormerAttempt(execution: Execution, event: Event): boolean {
  const isResponse = event.type === "attempt_ended" || event.type === "attempt_lost" ||
    event.type === "child_started";
  if (!isResponse || event.attempt === undefined) return false;
  return taskRunOf(execution, event.taskRun)?.attempts.length !== event.attempt;
}

/** Requests, and the recovery at boot. */
function applyRequest(t: Transition, event: Request | EventOf<"recovered">): void {
  switch (event.type) {
    case "kill_asked":
      return kill(t, event);
    case "pause_asked":
      return hold(t);
    case "resumed":
      return resume(t, event);
    case "breakpoint_passed":
      return passBreakpoint(t, event.breakpoints);
    case "restarted":
      return restart(t);
    case "state_set":
      return t.moveExecution(event.state);
    case "task_state_set":
      return setTaskState(t, event.taskRun, event.state);
    case "labels_set":
      t.execution.labels = mergeLabels(t.execution.labels, event.labels);
      return;
    case "unqueued":
      return unqueue(t, event.state);
    case "run_forced":
      return forceRun(t, event.by);
    case "recovered":
      return recover(t, event);
    default:
      return assertNever(event);
  }
}

/** Starts a new or restarted execution; maximal durations count from here. */
function start(t: Transition): void {
  if (!t.waitsForSlot) return;
  t.moveExecution("RUNNING");
  setSlaTimers(t);
  resumeOpenTaskRuns(t);
  touchAllFrames(t);
}

/** The limit of the flow is reached. */
function refuseStart(t: Transition, state: EventOf<"refused_slot">["state"]): void {
  const isOver = state !== "QUEUED" && !isEnded(t.execution.history);
  if (isOver) {
    t.log(state === "FAILED" ? "ERROR" : "WARN", `Flow is ${state} due to concurrency limit exceeded`);
  }
  refuseSlot(t, state);
}

function refuseSlot(t: Transition, state: EventOf<"refused_slot">["state"]): void {
  if (state !== "QUEUED") return isEnded(t.execution.history) ? undefined : abortExecution(t, state);
  if (t.state === "CREATED" || t.state === "RESTARTED") t.moveExecution("QUEUED");
}

function unqueue(t: Transition, state: EventOf<"unqueued">["state"]): void {
  if (state !== "RUNNING") return refuseSlot(t, state);
  start(t);
  t.emit({ type: "force_slot" });
}

/** Ends every wait before or between tasks; without one, nothing changes. */
function forceRun(t: Transition, by: string | undefined): void {
  const { length } = t.execution.history;
  if (t.state === "BREAKPOINT") passBreakpoint(t, undefined);
  else if (t.state === "PAUSED") endAllPauses(t, by);
  else if (t.state === "CREATED" || t.state === "QUEUED") {
    t.emit({ type: "cancel_timer", timer: "start" });
    start(t);
  }
  if (t.execution.history.length > length) t.emit({ type: "force_slot" });
}

function endAllPauses(t: Transition, by: string | undefined): void {
  const paused = pausedTaskRuns(t.tree.open);
  if (t.execution.isHeld) resume(t, { type: "resumed", by });
  for (const { ordinal } of paused) resume(t, { type: "resumed", taskRun: ordinal, by });
}

/** Opens more branches of a long list. */
function continueFrame(t: Transition, ordinal: number): void {
  const owner = ordinal < 0 ? undefined : taskRunOf(t.execution, ordinal);
  const frame = owner ? t.tree.frameOf(owner) : ordinal < 0 ? t.tree.root : undefined;
  if (!frame) return;
  if (frame.expected === "continued") t.tree.expect(frame, undefined);
  t.touchedFrames.push(frame);
}

function applyCondition(t: Transition, event: EventOf<"condition_rendered">): void {
  const found = t.find(event.taskRun);
  if (!found || !awaitsCondition(found.taskRun)) return;
  const { taskRun, place } = found;
  if (event.error !== undefined) {
    t.log("ERROR", event.error, taskRun);
    endTaskRun(t, taskRun, finalState(place.task, "FAILED"));
  } else if (event.holds) startWork(t, taskRun, place);
  else if (event.isListenerOff) dropTaskRun(t, taskRun);
  else endTaskRun(t, taskRun, "SKIPPED");
}

function beginWait(t: Transition, event: EventOf<"wait_begun">): void {
  const found = t.find(event.taskRun);
  if (!found || currentState(found.taskRun.history) !== "RUNNING") return;
  if (event.failure !== undefined) found.taskRun.decision = { failure: event.failure };
  t.touch(found.taskRun);
  t.emit({ type: "set_timer", timer: `task/${event.taskRun}`, dueAt: Math.max(event.dueAt, t.now) });
}

function applyTimer(t: Transition, timer: string): void {
  if (timer === "start") return start(t);
  const [kind = "", key = ""] = timer.split("/");
  if (kind === "sla") return violateDuration(t, key);
  const found = t.find(Number(key));
  if (!found) return;
  const { taskRun, place } = found;
  if (kind === "timeout") return timeOut(t, taskRun, place);
  const state = currentState(taskRun.history);
  if (state === "RETRYING") tryAgain(t, taskRun, place);
  else if (state === "PAUSED") expirePause(t, taskRun, place);
  else if (taskRun.decision?.isWaiting === true) nextPass(t, taskRun, place);
  else endWait(t, taskRun.ordinal, taskRun.decision?.failure);
}

function endWait(t: Transition, ordinal: number, failure: unknown): void {
  if (failure === undefined) applyOutcome(t, ordinal, { state: "SUCCESS", outputs: {} });
  else applyOutcome(t, ordinal, { state: "FAILED" }, String(failure));
}

function applyOutputs(t: Transition, event: EventOf<"outputs_rendered">): void {
  const { root } = t.tree;
  if (root.expected !== "response" || isEnded(t.execution.history)) return;
  t.tree.expect(root, undefined);
  for (const reason of event.ignored ?? []) t.log("WARN", reason);
  if (event.error === undefined) {
    t.execution.outputs = event.outputs ?? {};
    t.touchedFrames.push(root);
    return;
  }
  t.log("ERROR", `Failed to render output values: ${event.error}`);
  endExecutionIn(t, "FAILED");
}

/** After the final assertions the execution ends with this transition, unless it is held. */
function applyAssertions(t: Transition, event: EventOf<"assertions_rendered">): void {
  const { violated, ignored = [], isLast } = event;
  const { root } = t.tree;
  applyViolations(t, violated);
  // Earlier ones may have read what did not exist yet.
  for (const reason of isLast ? ignored : []) t.log("WARN", reason);
  if (!isLast || root.expected !== "response" || isEnded(t.execution.history)) return;
  t.tree.expect(root, undefined);
  t.areAssertionsFinal = true;
  t.touchedFrames.push(root);
}

function applyChildStart(t: Transition, event: EventOf<"child_started">): void {
  const found = t.find(event.taskRun);
  if (!found || currentState(found.taskRun.history) !== "RUNNING") return;
  const { taskRun } = found;
  const { executionId } = event;
  taskRun.decision = { executionId };
  taskRun.outputs = { executionId };
  t.touch(taskRun);
  if (event.restarts) {
    const { restarts, taskRun: ordinal } = event;
    t.emit({ type: "restart_child", taskRun: ordinal, executionId: restarts, startedId: executionId });
  }
  if (!event.waits) applyOutcome(t, event.taskRun, { state: "SUCCESS", outputs: { executionId } });
}

function endIfOver(t: Transition, ordinal: number, outcome: AttemptOutcome | undefined): void {
  if (outcome) applyOutcome(t, ordinal, outcome);
}
