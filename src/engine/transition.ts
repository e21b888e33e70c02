/** One transition: the execution, its derived tree, the time, and the commands so far. */
import type { Instant } from "../base/time/clock.ts";
import { addLogLine, type Execution, type TaskRun, taskRunOf } from "../model/executions/execution.ts";
import type { LogLevel } from "../model/flows/flow.ts";
import { canMove, currentState, type History, isEnded, move, type State } from "../model/executions/state.ts";
import type { BranchMark, TaskPlace } from "./branches.ts";
import type { Command, Refusal } from "./events.ts";
import type { FlowPlan } from "./plan.ts";
import type { ExecutionTree, Frame } from "./tree.ts";

const WAITING_FOR_SLOT: ReadonlySet<State> = new Set(["CREATED", "QUEUED", "RESTARTED"]);

/** All changes of task runs go through this class, so that the counts and the set of changed task runs stay correct. */
export class Transition {
  readonly tree: ExecutionTree;
  readonly now: Instant;
  readonly commands: Command[] = [];
  /** Frames that must advance. */
  readonly touchedFrames: Frame[] = [];
  /** The SLA assertions were rendered with nothing left but the end of the execution. */
  areAssertionsFinal = false;
  /** The children of the task runs that it stops are too many for one commit. */
  areOrphansKilledLater = false;
  /** Why the request was refused; nothing has changed then. */
  refusal: Refusal | undefined;

  constructor(tree: ExecutionTree, now: Instant) {
    this.tree = tree;
    this.now = now;
  }

  /** The execution. */
  get execution(): Execution {
    return this.tree.execution;
  }

  /** The flow. */
  get plan(): FlowPlan {
    return this.tree.plan;
  }

  /** Its state. */
  get state(): State {
    return currentState(this.execution.history);
  }

  /** True before the execution starts, and before it starts again. */
  get waitsForSlot(): boolean {
    return WAITING_FOR_SLOT.has(this.state);
  }

  /** Changes the state of the execution. */
  moveExecution(state: State): void {
    move("execution", this.execution.history, state, this.now);
  }

  /** Adds a command. */
  emit(command: Command): void {
    this.commands.push(command);
  }

  /** A task run and its place; `undefined` when either does not exist. */
  find(ordinal: number): { taskRun: TaskRun; place: TaskPlace } | undefined {
    const taskRun = taskRunOf(this.execution, ordinal);
    const place = taskRun && this.tree.placeOf(taskRun);
    return taskRun && place ? { taskRun, place } : undefined;
  }

  /** Adds a task run in state CREATED. */
  create(place: TaskPlace, parent: TaskRun | undefined, mark: BranchMark | undefined): TaskRun {
    const taskRun: TaskRun = {
      ordinal: this.execution.nextOrdinal++,
      taskId: place.task.id,
      parent: parent?.ordinal,
      value: mark?.value,
      iteration: mark?.iteration,
      history: [{ state: "CREATED", at: this.now }],
      attempts: [],
    };
    this.execution.taskRuns.push(taskRun);
    this.execution.touched.add(taskRun.ordinal);
    this.tree.add(taskRun);
    return taskRun;
  }

  /** Changes the state of a task run. */
  move(taskRun: TaskRun, state: State): void {
    this.tree.change(taskRun, () => move("task_run", taskRun.history, state, this.now));
    this.execution.touched.add(taskRun.ordinal);
  }

  /** Marks a task run as changed, so that it is stored. */
  touch(taskRun: TaskRun): void {
    this.execution.touched.add(taskRun.ordinal);
  }

  /** Adds an attempt, CREATED and RUNNING at the same instant, and moves the task run to RUNNING. */
  startAttempt(taskRun: TaskRun): void {
    this.move(taskRun, "RUNNING");
    const { now } = this;
    const history: History = [{ state: "CREATED", at: now }, { state: "RUNNING", at: now }];
    const hasLogFile = this.tree.placeOf(taskRun)?.task.logToFile;
    taskRun.attempts.push(hasLogFile ? { history, hasLogFile } : { history });
  }

  /** Ends the latest attempt, if it is still open. */
  endAttempt(taskRun: TaskRun, state: State): void {
    const attempt = taskRun.attempts[taskRun.attempts.length - 1];
    if (attempt && !isEnded(attempt.history)) move("task_run", attempt.history, state, this.now);
    this.touch(taskRun);
  }

  /** Ends the latest attempt, whose worker is lost. */
  loseAttempt(taskRun: TaskRun): void {
    this.endAttempt(taskRun, "RESUBMITTED");
    const attempt = taskRun.attempts.pop();
    if (attempt) taskRun.attempts.push({ ...attempt, isWorkerLost: true });
  }

  /** Changes the end of the latest attempt, if its state allows it. */
  changeAttempt(taskRun: TaskRun, state: State): void {
    const attempt = taskRun.attempts[taskRun.attempts.length - 1];
    if (!attempt || !canMove("task_run", currentState(attempt.history), state)) return;
    move("task_run", attempt.history, state, this.now);
    this.touch(taskRun);
  }

  /** Removes task runs. */
  remove(taskRuns: ReadonlySet<TaskRun>): void {
    if (taskRuns.size === 0) return;
    const list = this.execution.taskRuns;
    let kept = 0;
    for (const taskRun of list) {
      if (!taskRuns.has(taskRun)) list[kept++] = taskRun;
      else this.execution.touched.add(taskRun.ordinal);
    }
    list.length = kept;
  }

  /** Cancels the timers of a task run, including those that this transition sets. */
  cancelTimers(taskRun: TaskRun): void {
    const { ordinal } = taskRun;
    this.emit({ type: "cancel_timer", timer: `task/${ordinal}` });
    if (this.tree.placeOf(taskRun)?.task.timeout === undefined) return;
    this.emit({ type: "cancel_timer", timer: `timeout/${ordinal}` });
  }

  /** Adds a line to the execution's log. */
  log(level: LogLevel, message: string, taskRun?: TaskRun): void {
    const attempt = taskRun ? Math.max(0, taskRun.attempts.length - 1) : undefined;
    addLogLine(this.execution, { level, at: this.now, taskRun: taskRun?.ordinal, attempt, message });
  }
}
