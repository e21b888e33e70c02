/** What follows the end of an attempt: effects on the execution, a retry, or the end of the task run. */
import type { JsonObject } from "../../base/json.ts";
import type { TaskRun } from "../../model/executions/execution.ts";
import { LOOP } from "../../model/executions/loop_run.ts";
import { mergeLabels } from "../../model/flows/label.ts";
import type { AttemptOutcome } from "../../model/tasks/task_catalog.ts";
import { currentState, isEnded, type State } from "../../model/executions/state.ts";
import { endTaskRun, wake } from "../advance.ts";
import { countedAttempts, finalState, nextAttemptAt, nextExecutionAt, retryPolicyOf } from "../attempts.ts";
import { sequence } from "../branches.ts";
import { startWork } from "../begin.ts";
import { applyOneEnd, COPIED } from "../children/children.ts";
import { logChildEnd } from "../children/child_report.ts";
import type { EventOf } from "../events.ts";
import { closeAll, endExecutionIn, exit, isStoppingAll } from "./stop.ts";
import type { TaskPlace } from "../branches.ts";
import type { Transition } from "../transition.ts";
import { setFrameEnd } from "../tree.ts";

/** Ends an attempt; ignored when the task run is no longer waiting for it. */
export function applyOutcome(
  t: Transition,
  ordinal: number,
  outcome: AttemptOutcome,
  message?: string,
): void {
  const found = t.find(ordinal);
  if (!found || !isUnderWay(found.taskRun) || t.tree.frameOf(found.taskRun)) return;
  const { taskRun, place } = found;
  wake(t);
  if (message !== undefined) t.log("ERROR", message, taskRun);
  if (outcome.outputs) taskRun.outputs = outcome.outputs;
  const isInterrupted = currentState(taskRun.history) === "KILLING";
  const state = isInterrupted ? "KILLED" : outcome.state;
  t.endAttempt(taskRun, state);
  if (state === "FAILED" && !outcome.isFixture && retries(t, taskRun, place)) return;
  const isRepaired = state === "SUCCESS" && countedAttempts(taskRun) > 1 &&
    retryPolicyOf(t.plan, place)?.warningOnRetry;
  const end = isRepaired ? "WARNING" : state;
  if (outcome.isFixture || !beginLoopFinally(t, taskRun, place, end)) {
    endTaskRun(t, taskRun, finalState(place.task, end));
  }
  if (outcome.effects && !isInterrupted) applyEffects(t, outcome.effects);
}

/** Begins the `finally` of a Loop, which runs in the Loop's own execution; false for a task run that ends at once. */
function beginLoopFinally(t: Transition, taskRun: TaskRun, place: TaskPlace, state: State): boolean {
  const isStopping = isStoppingAll(t) || isEnded(t.execution.history);
  if (place.task.kind !== LOOP || !place.blocks.has("finally") || isStopping) return false;
  taskRun.decision = { ...taskRun.decision, end: state };
  t.touch(taskRun);
  const frame = t.tree.addFrame(taskRun, place, sequence());
  setFrameEnd(frame, state);
  t.touchedFrames.push(frame);
  return true;
}

function applyEffects(
  t: Transition,
  { labels, variables, exit: exitState }: NonNullable<AttemptOutcome["effects"]>,
): void {
  const { execution } = t;
  if (labels) execution.labels = mergeLabels(execution.labels, labels);
  if (variables) execution.variables = variables;
  if (exitState && !isEnded(execution.history)) exit(t, exitState);
}

function isUnderWay(taskRun: TaskRun): boolean {
  const state = currentState(taskRun.history);
  return state === "RUNNING" || state === "KILLING";
}

function retries(t: Transition, taskRun: TaskRun, place: TaskPlace): boolean {
  const policy = retryPolicyOf(t.plan, place);
  if (!policy || isStoppingAll(t)) return false;
  if (policy.behavior === "CREATE_NEW_EXECUTION") {
    if (isEnded(t.execution.history)) return false; // A task of `afterExecution` does not replace what has ended.
    const at = nextExecutionAt(policy, t.execution, t.now);
    if (at !== undefined) startOver(t, taskRun, at);
    return at !== undefined;
  }
  const at = nextAttemptAt(policy, taskRun, t);
  if (at === undefined) return false;
  t.move(taskRun, "FAILED");
  t.move(taskRun, "RETRYING");
  if (at > t.now) t.emit({ type: "set_timer", timer: `task/${taskRun.ordinal}`, dueAt: at });
  else tryAgain(t, taskRun, place);
  return true;
}

/** Starts the next attempt after the wait for a retry; an execution that is held or waits for a slot does so when it goes on. */
export function tryAgain(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  if (t.execution.isHeld || t.waitsForSlot) return;
  wake(t);
  t.move(taskRun, "CREATED");
  startWork(t, taskRun, place);
}

/** Ends everything open; a new execution replaces this one. */
function startOver(t: Transition, taskRun: TaskRun, at: number): void {
  t.move(taskRun, "FAILED");
  t.move(taskRun, "RETRIED");
  if (t.execution.isHeld) t.moveExecution("RUNNING");
  closeAll(t, "RETRIED");
  endExecutionIn(t, "RETRIED");
  t.emit({ type: "start_over", at });
}

/** Applies the end of an execution that a task run waits for. */
export function applyChildEnd(t: Transition, event: EventOf<"child_ended">): void {
  const found = t.find(event.taskRun);
  const outcome = found && applyOneEnd(t, found.taskRun, event);
  if (outcome) return applyOutcome(t, event.taskRun, outcome);
  if (!found || found.taskRun.decision?.executionId !== event.executionId) return;
  if (event.state === "RETRIED") return;
  const { properties } = found.place.task;
  const copied = COPIED.find((each) => each === event.state);
  const isCopied = String(properties.transmitFailed ?? true) !== "false";
  logChildEnd(t, found.taskRun, { end: event, fails: isCopied });
  const outputs: JsonObject = { ...found.taskRun.outputs, state: event.state };
  if (event.problem !== undefined) {
    return applyOutcome(t, event.taskRun, { state: "FAILED", outputs }, event.problem);
  }
  if (event.outputs) outputs.outputs = event.outputs;
  applyOutcome(t, event.taskRun, { state: isCopied && copied || "SUCCESS", outputs });
}
