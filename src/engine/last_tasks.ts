/** What a Loop runs in its own execution: its `finally`, once its passes have ended. */
import type { TaskRun } from "../model/executions/execution.ts";
import { LOOP } from "../model/executions/loop_run.ts";
import { isEnded, type State } from "../model/executions/state.ts";
import { sequence } from "./branches.ts";
import type { TaskPlace } from "./task_place.ts";
import type { Transition } from "./transition.ts";
import { endLoopIn } from "./tree.ts";

/** Begins with them, before the task run ends in that state; false when it ends at once. */
export function beginLastTasks(t: Transition, taskRun: TaskRun, place: TaskPlace, state: State): boolean {
  const isStopping = t.state === "KILLING" || isEnded(t.execution.history) || t.execution.exitState;
  if (place.task.kind !== LOOP || !place.blocks.has("finally") || isStopping) return false;
  taskRun.decision = { ...taskRun.decision, end: state };
  t.touch(taskRun);
  const frame = t.tree.addFrame(taskRun, place, sequence());
  endLoopIn(frame, state);
  t.touchedFrames.push(frame);
  return true;
}
