/** What can happen to an execution, and what it asks for in return. */
import type { Instant } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { ErrorCode } from "../model/errors.ts";
import type { Task } from "../model/flows/flow.ts";
import type { Label } from "../model/flows/label.ts";
import type { PendingFiles } from "../model/executions/pending_files.ts";
import type { State } from "../model/executions/state.ts";
import type { AttemptOutcome } from "../model/tasks/task_catalog.ts";
import type { ChildNumbers, PassRules } from "./child_numbers.ts";

/** An execution that runs again. */
export interface RestartedChild {
  readonly executionId: string;
  /** The one whose place it has taken, or itself. */
  readonly startedId: string;
}

/** States that a queued execution can be given. */
export const UNQUEUED_STATES = ["RUNNING", "CANCELLED", "FAILED"] as const;
type UnqueuedState = typeof UNQUEUED_STATES[number];

/** A fact given to `step`. Task runs are named by ordinal. */
export type Event =
  /** The execution may begin: it was just created, its schedule date has come, or a slot is free. */
  | { readonly type: "started" }
  /** The concurrency limit of its flow keeps it from running. */
  | { readonly type: "refused_slot"; readonly state: Extract<State, "QUEUED" | "CANCELLED" | "FAILED"> }
  /** More can be done at once: a long list of branches is opened bit by bit. */
  | { readonly type: "continued"; readonly frame: number }
  /** `runIf` was rendered. An error fails the task run. */
  | {
    readonly type: "condition_rendered";
    readonly taskRun: number;
    readonly holds: boolean;
    readonly error?: string;
  }
  /** Properties that a flowable task decides by were rendered. */
  | {
    readonly type: "decision_rendered";
    readonly taskRun: number;
    readonly properties: JsonObject;
    readonly error?: string;
    /** Files that the task has written around its children. */
    readonly files?: PendingFiles;
  }
  /** An attempt has ended; `message` is logged as an error. With a number it is left out once another attempt has begun. */
  | {
    readonly type: "attempt_ended";
    readonly taskRun: number;
    readonly attempt?: number;
    readonly outcome: AttemptOutcome;
    readonly message?: string;
  }
  /** The task run of a waiting task is waiting until then; it ends with `failure` when the time-out comes first. */
  | {
    readonly type: "wait_begun";
    readonly taskRun: number;
    readonly dueAt: Instant;
    readonly failure?: string;
  }
  /** A timer that {@link Command} `set_timer` asked for is due. */
  | { readonly type: "timer_due"; readonly timer: TimerName }
  /** The flow's outputs were rendered, or could not be; `ignored` says why optional ones are null. */
  | {
    readonly type: "outputs_rendered";
    readonly outputs?: JsonObject;
    readonly error?: string;
    readonly ignored?: readonly string[];
  }
  /** Assertions of SLAs were rendered: positions of those that do not hold. After the last ones the execution ends. */
  | {
    readonly type: "assertions_rendered";
    readonly violated: readonly string[];
    readonly isLast?: boolean;
  }
  /** The execution that a task run waits for was created with it. With a number it is left out once another attempt has begun. */
  | {
    readonly type: "child_started";
    readonly taskRun: number;
    readonly attempt?: number;
    readonly executionId: string;
    readonly waits: boolean;
    /** It exists already: this one runs again, itself or the one that has taken its place. */
    readonly restarts?: string;
  }
  /** Some of many executions that a task run starts were created with it, from that index on. */
  | {
    readonly type: "children_started";
    readonly taskRun: number;
    readonly from: number;
    readonly count: number;
    readonly total: number;
    readonly madeAt: Instant;
    readonly attempt: number;
    readonly waits: boolean;
    readonly transmitsFailed: boolean;
    /** Of a Loop. */
    readonly passes?: PassRules;
    /** Files that the task has written before. */
    readonly files?: PendingFiles;
  }
  /** Some of many executions that a task run has started before run again with it. */
  | {
    readonly type: "children_restarted";
    readonly taskRun: number;
    readonly attempt: number;
    /** Its numbers, with the first of them. */
    readonly begins?: ChildNumbers;
    /** Those between these indexes were looked at. */
    readonly from: number;
    readonly next: number;
    /** Behind them are as many that are to run again. */
    readonly left: number;
    readonly executions: readonly RestartedChild[];
  }
  /** The executions of a task run with many of them are to stop, from that index on. */
  | { readonly type: "children_kill_asked"; readonly taskRun: number; readonly from: number }
  /**
   * An execution that a task run waits for has ended; `replaces` is the end that it told before it was restarted. RETRIED:
   * that one does not count any more, and the execution that takes its place will tell another.
   */
  | {
    readonly type: "child_ended";
    readonly taskRun: number;
    readonly executionId: string;
    readonly state: State;
    readonly outputs?: JsonObject;
    readonly replaces?: State;
    /** Why what the task wants of it cannot be had: the task run fails. */
    readonly problem?: string;
    /** It was a pass after which its loop is to begin no other. */
    readonly breaks?: boolean;
  }
  /** It is to stop, and the executions that it has started, unless they are spared. */
  | { readonly type: "kill_asked"; readonly sparesChildren?: boolean }
  /** Somebody wants it to hold after what is under way. */
  | { readonly type: "pause_asked" }
  /** Somebody, or the end of its time, ends a pause. Without a task run: the oldest pause, or the hold. */
  | {
    readonly type: "resumed";
    readonly taskRun?: number;
    readonly inputs?: JsonObject;
    readonly by?: string;
  }
  /** Somebody wants it to go on behind a breakpoint, up to the given ones. */
  | { readonly type: "breakpoint_passed"; readonly breakpoints?: readonly string[] }
  /** Somebody wants failed and paused tasks to run again: a person, or a task run that waits for the execution. */
  | {
    readonly type: "restarted";
    readonly by?: { readonly executionId: string; readonly taskRun: number; readonly startedId: string };
  }
  /** Somebody gives an ended execution another end. */
  | { readonly type: "state_set"; readonly state: State }
  /** Somebody gives a task run another end; what follows runs again. */
  | { readonly type: "task_state_set"; readonly taskRun: number; readonly state: State }
  /** Labels of an ended execution are set; a mark of the server's own is set at any time. */
  | { readonly type: "labels_set"; readonly labels: readonly Label[]; readonly isMark?: boolean }
  /** A queued execution runs whatever the limit of its flow, or ends in that state. */
  | { readonly type: "unqueued"; readonly state: UnqueuedState }
  /** Whatever the execution waits for before or between its tasks is no longer waited for. */
  | { readonly type: "run_forced"; readonly by?: string }
  /** The server was down while the execution was live. */
  | { readonly type: "recovered"; readonly isGivenUp: boolean };

/** The events of these types. */
export type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;

/**
 * `start` for a schedule date, `task/<ordinal>` for a task run that waits, `timeout/<ordinal>` for one whose children may
 * take no longer, `sla/<position>` for the end of a promise.
 */
export type TimerName = "start" | `task/${number}` | `timeout/${number}` | `sla/${string}`;

/** Why a request is refused; the message names the execution, the reason and what is required. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What the executor must do. */
export type Command =
  /** Render `runIf` and answer with `condition_rendered`. */
  | { readonly type: "render_condition"; readonly taskRun: number; readonly task: Task }
  /** Render these properties and answer with `decision_rendered`. */
  | {
    readonly type: "render_decision";
    readonly taskRun: number;
    readonly task: Task;
    readonly properties: readonly string[];
  }
  /** Render the properties, run the task, answer with `attempt_ended` (or `wait_begun`). */
  | {
    readonly type: "run_attempt";
    readonly taskRun: number;
    readonly task: Task;
    readonly attemptNumber: number;
  }
  /** Stop the attempt; it answers with `attempt_ended`. */
  | { readonly type: "interrupt_attempt"; readonly taskRun: number }
  /** Store a timer with the transition. */
  | { readonly type: "set_timer"; readonly timer: TimerName; readonly dueAt: Instant }
  /** Remove the timer, if there is one. */
  | { readonly type: "cancel_timer"; readonly timer: TimerName }
  /** Render the flow's outputs and answer with `outputs_rendered`. */
  | { readonly type: "render_outputs" }
  /** Render the assertions of SLAs and answer with `assertions_rendered`; before its end the execution waits for the answer. */
  | { readonly type: "render_assertions"; readonly isLast?: boolean }
  /**
   * Create an execution of another flow in the commit of this transition; answer with `child_started`, or `attempt_ended`.
   * A task with many executions creates some, from that index on, and answers with `children_started`.
   */
  | {
    readonly type: "start_child";
    readonly taskRun: number;
    readonly task: Task;
    readonly from?: number;
    /** The execution that runs again if it can; otherwise another one is created. */
    readonly restarts?: string;
  }
  /** Run an execution again that this one has started before. */
  | {
    readonly type: "restart_child";
    readonly taskRun: number;
  } & RestartedChild
  /** Answer with `children_kill_asked`, also when the server stops before. */
  | { readonly type: "kill_children"; readonly taskRun: number; readonly from: number }
  /** Gather the outputs of all passes of a Loop and answer with `attempt_ended` in that state, or FAILED. */
  | {
    readonly type: "collect_outputs";
    readonly taskRun: number;
    readonly attempt: number;
    readonly state: AttemptOutcome["state"];
  }
  /** Kill an execution that this one has started. */
  | { readonly type: "kill_child"; readonly executionId: string }
  /** It would begin again: answer with `started`, or with `refused_slot` when the limit of its flow is reached. */
  | { readonly type: "ask_slot" }
  /** Take a slot whatever the limit of the flow. */
  | { readonly type: "force_slot" }
  /** Create an execution that takes this one's place, to start then. */
  | { readonly type: "start_over"; readonly at: Instant }
  /** The execution has reached a terminal state: tell whoever waits for it. */
  | { readonly type: "announce_end" }
  /** Answer with `continued` once other events were applied; `frame` is the ordinal of a flowable task run, or -1. */
  | { readonly type: "continue"; readonly frame: number };
