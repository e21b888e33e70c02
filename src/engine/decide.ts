/** Decisions of flowable tasks: at their start, and for loops after each pass. */
import type { JsonObject } from "../base/json.ts";
import type { TaskRun } from "../model/executions/execution.ts";
import { currentState } from "../model/executions/state.ts";
import { endTaskRun } from "./advance.ts";
import { finalState } from "./attempts.ts";
import { decide, enterChildren } from "./begin.ts";
import type { EventOf } from "./events.ts";
import type { Flowable, Repetition } from "./flowable/flowable.ts";
import { FLOWABLES } from "./flowable/registry.ts";
import { beginPause } from "./requests/pause.ts";
import type { FlowPlan } from "./plan.ts";
import type { TaskPlace } from "./branches.ts";
import type { Transition } from "./transition.ts";
import { startLimit } from "./endings/time_limit.ts";
import { descendantsOf, type Frame, setFrameEnd } from "./tree.ts";

/** Applies the rendered properties that a flowable task decides by. */
export function applyDecision(t: Transition, event: EventOf<"decision_rendered">): void {
  const found = t.find(event.taskRun);
  if (!found || currentState(found.taskRun.history) !== "RUNNING") return;
  const { taskRun, place } = found;
  const flowable = FLOWABLES.get(place.task.kind);
  if (!flowable) return;
  const frame = t.tree.frameOf(taskRun);
  if (frame) return applyRepetition(t, event, { flowable, frame, taskRun, place });
  if (taskRun.decision !== undefined) return;
  begin(t, event, { flowable, taskRun, place });
}

function begin(
  t: Transition,
  event: EventOf<"decision_rendered">,
  { flowable, taskRun, place }: { flowable: Flowable; taskRun: TaskRun; place: TaskPlace },
): void {
  const beginning = event.error === undefined
    ? decide(flowable, event.properties, place, t.now)
    : { failure: event.error };
  if (beginning.failure !== undefined) {
    taskRun.outputs = beginning.outputs;
    t.log("ERROR", beginning.failure, taskRun);
    return endTaskRun(t, taskRun, finalState(place.task, "FAILED"));
  }
  taskRun.decision = beginning.decision ?? {};
  taskRun.outputs = beginning.outputs;
  t.touch(taskRun);
  if (beginning.pause) beginPause(t, { taskRun, place }, beginning.pause.dueAt);
  else {
    enterChildren(t, taskRun, place);
    startLimit(t, taskRun, place);
  }
}

function applyRepetition(
  t: Transition,
  event: EventOf<"decision_rendered">,
  at: { flowable: Flowable; frame: Frame; taskRun: TaskRun; place: TaskPlace },
): void {
  const { flowable, frame, taskRun, place } = at;
  if (frame.expected !== "response" || !flowable.repeat) return;
  t.tree.expect(frame, undefined);
  t.touch(taskRun);
  const repetition: Repetition = event.error === undefined
    ? flowable.repeat.decide(event.properties, taskRun.decision ?? {}, t.now)
    : { type: "end", outputs: taskRun.outputs ?? {}, state: "FAILED", message: event.error };
  taskRun.outputs = repetition.outputs;
  if (repetition.type === "end") return endLoop(t, frame, taskRun, repetition);
  t.tree.change(taskRun, () => taskRun.decision = { ...repetition.decision, isWaiting: true });
  t.tree.dropFrame(taskRun);
  if (repetition.at > t.now) {
    t.emit({ type: "set_timer", timer: `task/${taskRun.ordinal}`, dueAt: repetition.at });
  } else nextPass(t, taskRun, place);
}

function endLoop(
  t: Transition,
  frame: Frame,
  taskRun: TaskRun,
  { state, message }: Extract<Repetition, { type: "end" }>,
): void {
  taskRun.decision = { ...taskRun.decision, end: state };
  if (message !== undefined) t.log(state === "FAILED" ? "ERROR" : "WARN", message, taskRun);
  setFrameEnd(frame, state);
  t.touchedFrames.push(frame);
}

/** Replaces the task runs of the former pass of a loop by the next pass. */
export function nextPass(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const { isWaiting: _, ...decision } = taskRun.decision ?? {};
  t.remove(descendantsOf(t.execution.taskRuns, [taskRun]));
  t.tree.change(taskRun, () => taskRun.decision = decision);
  t.touch(taskRun);
  enterChildren(t, taskRun, place);
}

/** The decision of a task run that is reopened: without its end, so that a loop checks its condition again. */
export function reopenedDecision(
  { places }: FlowPlan,
  { taskId, decision }: TaskRun,
): JsonObject | undefined {
  const kind = places.get(taskId)?.task.kind;
  if (!decision || kind !== undefined && FLOWABLES.get(kind)?.hasOwnEnd) return decision;
  const { end: _end, isWaiting: _isWaiting, ...kept } = decision;
  return kept;
}
