/** What follows an end: the next tasks, the next phase of a flowable task, the end of that task or of the execution. */
import type { Execution, TaskRun } from "../model/executions/execution.ts";
import { currentState, isEnded, type State } from "../model/executions/state.ts";
import { finalState, isStopping } from "./attempts.ts";
import { beginTaskRun } from "./begin.ts";
import { FLOWABLES } from "./flowable/registry.ts";
import { hasAssertions } from "./endings/sla.ts";
import { cancelDescendants, endExecutionEarly, endExecutionIn, isStoppingAll } from "./endings/stop.ts";
import type { TaskPlace } from "./branches.ts";
import type { Transition } from "./transition.ts";
import {
  addReady,
  countEnd,
  enterPhase,
  type Frame,
  markStarted,
  openableTasks,
  opensNoMore,
  type Phase,
  phaseOf,
  SEVERITY,
} from "./tree.ts";

/** Branches that one transition opens; the rest follows with `continued`, so that pure tasks end in the same slice. */
const OPENED_AT_ONCE = 8;

/** Opens what can be opened and ends what has ended, until nothing more follows. */
export function advance(t: Transition): void {
  for (;;) {
    for (let frame = t.touchedFrames.pop(); frame; frame = t.touchedFrames.pop()) advanceFrame(t, frame);
    if (isStoppingAll(t)) endExecutionEarly(t);
    if (t.touchedFrames.length === 0) break;
  }
  settleState(t);
}

/** Ends a task run and counts its end in its parent frame. */
export function endTaskRun(t: Transition, taskRun: TaskRun, state: State): void {
  const place = t.tree.placeOf(taskRun);
  const hasTimer = t.execution.timers.has(`task/${taskRun.ordinal}`) || place?.task.timeout !== undefined;
  if (hasTimer) t.cancelTimers(taskRun);
  t.move(taskRun, state);
  const frame = t.tree.parentFrame(taskRun);
  if (!frame || !place || phaseOf(place) !== frame.phase) return;
  countEnd(frame, taskRun);
  const branch = frame.branches.branchOf(taskRun, place);
  const isPassed = frame.passed?.delete(taskRun.ordinal) === true;
  const opensNext = !isPassed && !opensNoMore(frame) && !isStopping(taskRun);
  const next = opensNext ? frame.branches.next(branch, place) : undefined;
  if (next) addReady(frame, { branch, place: next });
  else {
    frame.open--;
    if (!isStopping(taskRun)) frame.done?.add(branch);
  }
  t.touchedFrames.push(frame);
}

/** Removes a task run that did not begin; nothing more of its branch begins. */
export function dropTaskRun(t: Transition, taskRun: TaskRun): void {
  const frame = t.tree.parentFrame(taskRun);
  t.remove(new Set([taskRun]));
  t.tree.forget(taskRun);
  if (!frame) return;
  frame.open--;
  t.touchedFrames.push(frame);
}

/** Lets every frame advance: after a hold, a recovery or a restart. */
export function touchAllFrames(t: Transition): void {
  for (const frame of t.tree.frames) t.touchedFrames.push(frame);
}

function advanceFrame(t: Transition, frame: Frame): void {
  const hasEnded = frame.owner && t.tree.frameOf(frame.owner) !== frame; // An inner frame that was touched later has ended it.
  if (hasEnded) return;
  if (frame.hasFailed && frame.branches.afterFailure === "cancel") cancelOthers(t, frame);
  for (;;) {
    if (isHeld(t) || frame.expected === "response") return;
    if (!openBranches(t, frame) || frame.open > 0) return;
    const next = nextPhase(t, frame);
    if (next === "wait") return;
    if (next === "end") return frame.owner ? endFlowable(t, frame, frame.owner) : endExecution(t, frame);
    enterPhase(frame, t.plan, next);
  }
}

/** A child has failed: its siblings are interrupted. */
function cancelOthers(t: Transition, frame: Frame): void {
  if (isStoppingAll(t)) return;
  const under = frame.open - frame.ready.length;
  if (under <= 0 || !frame.owner) return;
  const failed = t.execution.taskRuns.find((taskRun) =>
    taskRun.parent === frame.owner?.ordinal && isEnded(taskRun.history) && isStopping(taskRun)
  );
  const reason = `Interrupted: the task "${failed?.taskId}" beside it has failed`;
  cancelChildren(t, frame, { owner: frame.owner, reason });
}

/** Ends everything open in the frame of a flowable task run, as CANCELLED. */
export function cancelChildren(
  t: Transition,
  frame: Frame,
  { owner, reason }: { readonly owner: TaskRun; readonly reason: string },
): void {
  for (const taskRun of cancelDescendants(t, owner, reason)) {
    if (taskRun.parent !== owner.ordinal) continue;
    countEnd(frame, taskRun);
    frame.open--;
  }
}

/** True when nothing may be opened. */
function isHeld(t: Transition): boolean {
  return t.execution.isHeld === true || isStoppingAll(t) || t.waitsForSlot;
}

/** Opens ready tasks and further branches; false when the rest is opened later. */
function openBranches(t: Transition, frame: Frame): boolean {
  const ready = opensNoMore(frame) ? frame.ready : openableTasks(frame);
  frame.ready = ready === frame.ready ? [] : frame.ready.filter((waiting) => !ready.includes(waiting));
  for (const [index, { branch, place }] of ready.entries()) {
    if (opensNoMore(frame)) frame.open--;
    else if (!open(t, frame, branch, place)) {
      frame.ready = [...ready.slice(index), ...frame.ready];
      return false;
    }
  }
  if (frame.expected === "continued") return false;
  for (let opened = 0; !opensNoMore(frame) && frame.open < frame.branches.limit;) {
    const branch = pickBranch(frame);
    if (branch === undefined) return true;
    const place = frame.branches.next(branch);
    if (place && ++opened > OPENED_AT_ONCE) return continueLater(t, frame);
    markStarted(frame, branch);
    if (!place) frame.done?.add(branch);
    else {
      frame.open++;
      if (!open(t, frame, branch, place)) {
        frame.ready.push({ branch, place });
        return false;
      }
    }
  }
  return true;
}

/** Until `continued` arrives, no end of a task opens more: what was opened ends first. */
function continueLater(t: Transition, frame: Frame): false {
  t.tree.expect(frame, "continued");
  t.emit({ type: "continue", frame: frame.owner?.ordinal ?? -1 });
  return false;
}

/** The next branch to start; `undefined` when none is left or none may start yet. */
export function pickBranch({ branches, nextBranch, started, done }: Frame): number | undefined {
  if (!branches.needs || !started || !done) return nextBranch < branches.count ? nextBranch : undefined;
  for (let branch = 0; branch < branches.count; branch++) {
    if (started.has(branch)) continue;
    if (branches.needs(branch).every((needed) => done.has(needed))) return branch;
  }
  return undefined;
}

/** Creates and begins a task run; false at a breakpoint. */
function open(t: Transition, frame: Frame, branch: number, place: TaskPlace): boolean {
  const mark = frame.branches.markOf?.(branch);
  if (!isEnded(t.execution.history) && isBreakpoint(t, place, mark?.value)) {
    wake(t);
    t.moveExecution("BREAKPOINT");
    t.execution.isHeld = true;
    return false;
  }
  beginTaskRun(t, t.create(place, frame.owner, mark), place);
  return true;
}

/** True when the execution must stop before that task. */
export function isBreakpoint(
  { execution: { breakpoints } }: { readonly execution: Execution },
  { task }: TaskPlace,
  value: string | undefined,
): boolean {
  if (!breakpoints || breakpoints.length === 0) return false;
  return breakpoints.includes(task.id) || value !== undefined && breakpoints.includes(`${task.id}.${value}`);
}

function nextPhase(t: Transition, frame: Frame): Phase | "wait" | "end" {
  const blocks = frame.place?.blocks ?? t.plan.blocks;
  const hasTasks = (phase: Phase) => blocks.get(phase)?.some(({ task }) => !task.disabled) ?? false;
  if (frame.phase === "onPause") {
    return frame.owner && currentState(frame.owner.history) === "PAUSED" ? "wait" : "tasks";
  }
  if (frame.phase === "tasks") {
    if (repeats(t, frame)) return "wait";
    if (frame.hasFailed && hasTasks("errors")) return "errors";
  }
  if (frame.phase === "afterExecution") return "end";
  return frame.phase !== "finally" && hasTasks("finally") ? "finally" : "end";
}

/** True when a loop must first decide whether another pass follows. */
function repeats(t: Transition, frame: Frame): boolean {
  const { owner, place } = frame;
  const repeat = place && FLOWABLES.get(place.task.kind)?.repeat;
  if (!owner || !place || !repeat || owner.decision?.end !== undefined) return false;
  if (frame.hasFailed && !repeat.followsFailure) return false;
  t.tree.expect(frame, "response");
  t.emit({ type: "render_decision", taskRun: owner.ordinal, task: place.task, properties: repeat.renders });
  return true;
}

function endFlowable(t: Transition, frame: Frame, owner: TaskRun): void {
  const { task } = frame.place as TaskPlace;
  const worst = SEVERITY[frame.worst] as State;
  const state = FLOWABLES.get(task.kind)?.outcome?.(worst) ?? worst;
  t.tree.dropFrame(owner);
  endTaskRun(t, owner, finalState(task, state));
}

function endExecution(t: Transition, root: Frame): void {
  if (root.phase === "afterExecution" || isEnded(t.execution.history)) return;
  wake(t);
  if (t.plan.flow.outputs.length > 0 && t.execution.outputs === undefined) {
    t.tree.expect(root, "response");
    t.emit({ type: "render_outputs" });
    return;
  }
  if (!t.areAssertionsFinal && hasAssertions(t.plan)) {
    t.tree.expect(root, "response");
    t.emit({ type: "render_assertions", isLast: true });
    return;
  }
  endExecutionIn(t, SEVERITY[root.worst] as State);
}

/** Moves a waiting execution back to RUNNING; the end of the transition settles what it still waits for. */
export function wake(t: Transition): void {
  if (t.execution.isHeld || t.state === "RESTARTED") return; // A restarted execution waits for a slot.
  if (t.state === "PAUSED") t.moveExecution("RESTARTED");
  if (WAKING.has(t.state)) t.moveExecution("RUNNING");
}

const WAKING: ReadonlySet<State> = new Set(["RESTARTED", "RETRYING"]);

/** RUNNING while anything is active, else RETRYING or PAUSED while something waits. */
function settleState(t: Transition): void {
  const { tree, state } = t;
  const isWaiting = state === "RUNNING" || state === "RETRYING" || state === "PAUSED";
  if (!isWaiting || t.execution.isHeld || isStoppingAll(t) || tree.open.size === 0) return;
  const wanted = stateOfWaiting(t);
  if (wanted === state) return;
  wake(t);
  t.moveExecution(wanted);
}

function stateOfWaiting({ tree }: Transition): State {
  if (tree.count("active") > 0 || tree.root.expected) return "RUNNING";
  if (tree.count("retrying") > 0) return "RETRYING";
  return tree.count("paused") > 0 ? "PAUSED" : "RUNNING";
}
