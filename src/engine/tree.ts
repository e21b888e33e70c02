/**
 * The open part of an execution, derived from its task runs when it is loaded and updated by each transition, so that no
 * transition reads all children of a loop.
 */
import { type Execution, type TaskRun, taskRunOf } from "../model/executions/execution.ts";
import { currentState, isEnded, type State } from "../model/executions/state.ts";
import { isStopping } from "./attempts.ts";
import { type Branches, eachListener, sequence, type TaskPlace } from "./branches.ts";
import { FLOWABLES } from "./flowable/registry.ts";
import type { FlowPlan } from "./plan.ts";

/** Phases of a flowable task or of the execution, in the order in which they run. */
export const PHASES = ["onPause", "tasks", "errors", "finally", "afterExecution"] as const;

/** One of {@link PHASES}. */
export type Phase = typeof PHASES[number];

/** The next task of a branch. */
export interface ReadyTask {
  readonly branch: number;
  readonly place: TaskPlace;
}

/** Progress of the children of one flowable task run, or of the execution itself. */
export interface Frame {
  /** The flowable task run; absent for the execution. */
  readonly owner?: TaskRun;
  readonly place?: TaskPlace;
  phase: Phase;
  branches: Branches;
  /** The branches of its `tasks`. */
  readonly ownBranches: Branches;
  /** Branches with a lower index were started. */
  nextBranch: number;
  /** Started branches, where they do not start in their order. */
  started?: Set<number>;
  /**
   * Open task runs after which their branch went on, by ordinal, with their branch: a request has opened them again. Nothing
   * more of the branch begins before they end.
   */
  passed?: Map<number, number>;
  /** Successful branches, where others need them. */
  done?: Set<number>;
  /** The number of open branches. */
  open: number;
  /** The next tasks of open branches, in the order of the branches. */
  ready: ReadyTask[];
  /** A child of this phase has stopped its branch. */
  hasFailed: boolean;
  /** The end is decided: nothing more of this phase begins, also with `continue` after failures. */
  isOver: boolean;
  /** Position in {@link SEVERITY} of the worst end of a child. */
  worst: number;
  /** `response`: nothing follows before it arrives. `continued`: more branches are opened then. */
  expected?: "response" | "continued";
}

/** Ends of task runs, the worst last. */
export const SEVERITY: readonly State[] = ["SUCCESS", "WARNING", "CANCELLED", "FAILED", "KILLED"];

/** What an open task run waits for. */
type Waiting = keyof typeof NO_COUNTS;
const NO_COUNTS = { active: 0, retrying: 0, paused: 0, children: 0 };

const ROOT = -1;

/** The frames and open task runs of one execution. */
export class ExecutionTree {
  readonly plan: FlowPlan;
  readonly execution: Execution;
  /** Ordinals of task runs that have requested further executions. Not stored: a crash loses the requests as well. */
  readonly starting = new Set<number>();
  readonly #frames = new Map<number, Frame>();
  readonly #open = new Set<TaskRun>();
  readonly #counts: Record<Waiting, number> = { ...NO_COUNTS };

  constructor(plan: FlowPlan, execution: Execution) {
    this.plan = plan;
    this.execution = execution;
    if (execution.taskRuns.length > 0) this.reload();
    else this.#frames.set(ROOT, this.#rootFrame());
  }

  /** Task runs that have not ended. */
  get open(): ReadonlySet<TaskRun> {
    return this.#open;
  }

  /** Frames that have not ended. */
  get frames(): Iterable<Frame> {
    return this.#frames.values();
  }

  /** The frame of the execution itself. */
  get root(): Frame {
    return this.#frames.get(ROOT) as Frame;
  }

  /** The number of open task runs that wait in that way. */
  count(waiting: Waiting): number {
    return this.#counts[waiting];
  }

  /** The place of a task run's task; `undefined` when the flow has no such task. */
  placeOf(taskRun: TaskRun): TaskPlace | undefined {
    return this.plan.places.get(taskRun.taskId);
  }

  /** The frame that a task run is a child of. */
  parentFrame(taskRun: TaskRun): Frame | undefined {
    return this.#frames.get(taskRun.parent ?? ROOT);
  }

  /** The frame of a flowable task run. */
  frameOf(taskRun: TaskRun): Frame | undefined {
    return this.#frames.get(taskRun.ordinal);
  }

  /** Adds the frame of a flowable task run whose children begin. */
  addFrame(owner: TaskRun, place: TaskPlace, branches: Branches): Frame {
    return this.#counted(owner, () => {
      const frame = newFrame(branches, owner, place);
      this.#frames.set(owner.ordinal, frame);
      return frame;
    });
  }

  /** Sets what a frame waits for; its owner counts as active meanwhile. */
  expect(frame: Frame, expected: Frame["expected"]): void {
    if (frame.owner) this.#counted(frame.owner, () => frame.expected = expected);
    else frame.expected = expected;
  }

  /** Removes the frame of a flowable task run that has ended or waits for its next pass. */
  dropFrame(owner: TaskRun): void {
    this.#counted(owner, () => this.#frames.delete(owner.ordinal));
  }

  /** Adds a task run that was just created. */
  add(taskRun: TaskRun): void {
    this.#open.add(taskRun);
    this.#counts[this.#waitingOf(taskRun)]++;
  }

  /** Forgets an open task run without children, which was removed. */
  forget(taskRun: TaskRun): void {
    this.#counts[this.#waitingOf(taskRun)]--;
    this.#open.delete(taskRun);
  }

  /** Changes a task run and updates the counts. */
  change(taskRun: TaskRun, change: () => void): void {
    this.#counted(taskRun, change);
  }

  /** Derives everything anew. */
  reload(): void {
    this.#frames.clear();
    this.#open.clear();
    Object.assign(this.#counts, NO_COUNTS);
    this.#frames.set(ROOT, this.#rootFrame());
    const latest = new Map<Frame, Map<number, TaskRun>>();
    for (const taskRun of this.execution.taskRuns) {
      this.#takeIn(taskRun, latest);
    }
    for (const frame of this.#frames.values()) {
      const end = frame.owner?.decision?.end as State | undefined;
      if (frame.phase === "onPause" && end !== undefined) skipTasks(frame, this.plan, end);
    }
    for (const [frame, branches] of latest) this.#resume(frame, branches);
  }

  #counted<T>(taskRun: TaskRun, change: () => T): T {
    if (this.#open.has(taskRun)) this.#counts[this.#waitingOf(taskRun)]--;
    const result = change();
    if (isEnded(taskRun.history)) this.#open.delete(taskRun);
    else {
      this.#open.add(taskRun);
      this.#counts[this.#waitingOf(taskRun)]++;
    }
    return result;
  }

  #waitingOf(taskRun: TaskRun): Waiting {
    const frame = this.#frames.get(taskRun.ordinal);
    const state = currentState(taskRun.history);
    if (frame && state !== "PAUSED") return frame.expected ? "active" : "children";
    return state === "PAUSED" ? "paused" : state === "RETRYING" ? "retrying" : "active";
  }

  #rootFrame(): Frame {
    return newFrame(sequence(this.plan.blocks.get("tasks")));
  }

  #takeIn(taskRun: TaskRun, latest: Map<Frame, Map<number, TaskRun>>): void {
    const place = this.placeOf(taskRun);
    const frame = this.parentFrame(taskRun);
    if (frame && place) {
      enterPhase(frame, this.plan, phaseOf(place));
      let branches = latest.get(frame);
      if (!branches || branches.size === 0) latest.set(frame, branches = new Map());
      if (frame.phase === phaseOf(place)) {
        const branch = frame.branches.branchOf(taskRun, place);
        markPassed(frame, branch, branches.get(branch));
        branches.set(branch, taskRun);
      }
      if (isEnded(taskRun.history)) countEnd(frame, taskRun);
    }
    if (isEnded(taskRun.history)) return;
    this.add(taskRun);
    const branches = place && branchesOf(taskRun, place);
    if (!branches) return;
    const added = this.addFrame(taskRun, place, branches);
    if (taskRun.decision?.end !== undefined) setFrameEnd(added, taskRun.decision.end as State);
  }

  /** Derives the open and ready branches of a frame from the latest task run of each. */
  #resume(frame: Frame, latest: ReadonlyMap<number, TaskRun>): void {
    for (const [branch, taskRun] of latest) {
      const place = this.placeOf(taskRun);
      if (!place || phaseOf(place) !== frame.phase) continue;
      markStarted(frame, branch);
      if (!isEnded(taskRun.history)) frame.open++;
      else if (!isStopping(taskRun)) {
        const next = opensNoMore(frame) ? undefined : frame.branches.next(branch, place);
        if (next) {
          frame.open++;
          frame.ready.push({ branch, place: next });
        } else frame.done?.add(branch);
      }
    }
    frame.ready.sort((a, b) => a.branch - b.branch);
  }
}

/** True when the execution has ended, `afterExecution` included. */
export function hasSettled({ execution, open }: ExecutionTree): boolean {
  return isEnded(execution.history) && open.size === 0;
}

/** The branches of a flowable task run whose children have begun; `undefined` for any other. */
function branchesOf(taskRun: TaskRun, place: TaskPlace): Branches | undefined {
  const { decision, history } = taskRun;
  const state = currentState(history);
  const hasBegun = decision !== undefined && decision.isWaiting !== true &&
    (state === "RUNNING" || state === "PAUSED" && place.blocks.has("onPause"));
  return hasBegun ? FLOWABLES.get(place.task.kind)?.branches?.(place, decision) : undefined;
}

/** The branches of a task run, or of the flow's `tasks`; `undefined` for a task without children. */
export function branchesOfTaskRun(plan: FlowPlan, taskRun: TaskRun | undefined): Branches | undefined {
  if (!taskRun) return sequence(plan.blocks.get("tasks"));
  const place = plan.places.get(taskRun.taskId);
  return place && FLOWABLES.get(place.task.kind)?.branches?.(place, taskRun.decision ?? {});
}

function newFrame(branches: Branches, owner?: TaskRun, place?: TaskPlace): Frame {
  const begins = place?.blocks.get("onPause");
  const frame: Frame = {
    owner,
    place,
    phase: begins ? "onPause" : "tasks",
    branches,
    ownBranches: branches,
    nextBranch: 0,
    started: undefined,
    passed: undefined,
    done: undefined,
    open: 0,
    ready: [],
    hasFailed: false,
    isOver: false,
    worst: 0,
    expected: undefined,
  };
  beginPhase(frame, begins ? sequence(begins) : branches);
  return frame;
}

/** Sets member by member: objects in between would be garbage of each execution. */
function beginPhase(frame: Frame, branches: Branches): void {
  const isOrdered = branches.needs === undefined;
  frame.branches = branches;
  frame.nextBranch = 0;
  frame.started = isOrdered ? undefined : new Set();
  frame.passed = undefined;
  frame.done = isOrdered ? undefined : new Set();
  frame.open = 0;
  frame.ready = [];
  frame.hasFailed = false;
  frame.isOver = false;
}

/** Enters a phase, unless it is the present one or an earlier one. */
export function enterPhase(frame: Frame, plan: FlowPlan, phase: Phase): void {
  if (PHASES.indexOf(phase) <= PHASES.indexOf(frame.phase)) return;
  frame.phase = phase;
  const blocks = frame.place?.blocks ?? plan.blocks;
  beginPhase(frame, phaseBranches(frame, phase, blocks.get(phase)));
}

function phaseBranches(frame: Frame, phase: Phase, list: readonly TaskPlace[] | undefined): Branches {
  if (phase === "tasks") return frame.ownBranches;
  return phase === "afterExecution" ? eachListener(list) : sequence(list);
}

/** The phase of a task. */
export function phaseOf({ block }: TaskPlace): Phase {
  return block === "onPause" || isHandlerBlock(block) ? block : "tasks";
}

/** True for lists of tasks that run after others have ended. */
export function isHandlerBlock(block: string): block is "errors" | "finally" | "afterExecution" {
  return block === "errors" || block === "finally" || block === "afterExecution";
}

/** True when nothing more of this phase is opened: a child has failed, or the end is decided. */
export function opensNoMore({ hasFailed, isOver, branches }: Frame): boolean {
  return isOver || hasFailed && branches.afterFailure !== "continue";
}

/** The ready tasks that may be opened now, of earlier branches first. After a replay or a restart others wait for their turn. */
export function openableTasks({ ready, open, passed, branches: { limit } }: Frame): readonly ReadyTask[] {
  const free = limit - (open - ready.length);
  const isHeld = passed !== undefined && passed.size > 0;
  if (ready.length === 0 || ready.length <= free && !isHeld) return ready;
  const held = new Set(isHeld ? passed.values() : []);
  const openable: ReadyTask[] = [];
  for (const each of ready) {
    if (openable.length >= free) break;
    if (!held.has(each.branch)) openable.push(each);
  }
  return openable;
}

/** Adds a ready task, in the order of the branches. */
export function addReady({ ready }: Frame, task: ReadyTask): void {
  const at = ready.findIndex(({ branch }) => branch > task.branch);
  ready.splice(at < 0 ? ready.length : at, 0, task);
}

/** Decides the end of a frame; later children can only make it worse. */
export function setFrameEnd(frame: Frame, state: State): void {
  frame.isOver = true;
  if (state === "FAILED") frame.hasFailed = true;
  frame.worst = Math.max(frame.worst, SEVERITY.indexOf(state));
}

/** Skips the `tasks` of a pause that ended in that state. */
export function skipTasks(frame: Frame, plan: FlowPlan, state: State): void {
  enterPhase(frame, plan, "tasks");
  setFrameEnd(frame, state);
}

/** Keeps an open task run that is no longer the latest of its branch. */
function markPassed(frame: Frame, branch: number, taskRun: TaskRun | undefined): void {
  if (!taskRun || isEnded(taskRun.history)) return;
  frame.passed ??= new Map();
  frame.passed.set(taskRun.ordinal, branch);
  frame.open++;
}

/** Marks a branch as started. */
export function markStarted(frame: Frame, branch: number): void {
  frame.nextBranch = Math.max(frame.nextBranch, branch + 1);
  frame.started?.add(branch);
}

/** Counts the end of a child. */
export function countEnd(frame: Frame, taskRun: TaskRun): void {
  if (isStopping(taskRun)) frame.hasFailed = true;
  if (frame.phase === "afterExecution") return; // The execution has its final state.
  const severity = SEVERITY.indexOf(currentState(taskRun.history));
  // A failure in `onPause` does not fail the pause.
  const counted = frame.phase === "onPause" ? Math.min(severity, SEVERITY.indexOf("WARNING")) : severity;
  frame.worst = Math.max(frame.worst, counted);
}

/** The ancestors of a task run, the nearest first. */
export function ancestorsOf(execution: Execution, { parent }: TaskRun): TaskRun[] {
  const ancestors: TaskRun[] = [];
  while (parent !== undefined) {
    const ancestor = taskRunOf(execution, parent);
    if (!ancestor) break;
    ancestors.push(ancestor);
    parent = ancestor.parent;
  }
  return ancestors;
}

/** All task runs nested in one of the given. */
export function descendantsOf(taskRuns: readonly TaskRun[], ancestors: Iterable<TaskRun>): Set<TaskRun> {
  const ordinals = new Set([...ancestors].map(({ ordinal }) => ordinal));
  const descendants = new Set<TaskRun>();
  for (const taskRun of taskRuns) {
    if (taskRun.parent === undefined || !ordinals.has(taskRun.parent)) continue;
    ordinals.add(taskRun.ordinal);
    descendants.add(taskRun);
  }
  return descendants;
}
