/** Events given to `step`, commands it returns, and refusals of requests. */
import type { Instant } from "../base/time/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { ErrorCode } from "../model/errors.ts";
import type { Task } from "../model/flows/flow.ts";
import type { Label } from "../model/flows/label.ts";
import type { TaskFixture } from "../model/executions/fixtures.ts";
import type { PendingFiles } from "../model/executions/pending_files.ts";
import type { State } from "../model/executions/state.ts";
import type { AttemptOutcome } from "../model/tasks/task_catalog.ts";
import type { ChildNames, ChildNumbers, PassRules } from "./children/child_numbers.ts";

/** An execution that runs again. */
export interface RestartedChild {
  readonly executionId: string;
  /** The execution that it replaces, or itself. */
  readonly startedId: string;
}

/** Many executions to kill. */
interface KilledChildren {
  readonly taskRun: number;
  readonly from: number;
  /** Names them also when the task run was removed; absent in messages of earlier versions. */
  readonly children?: ChildNames;
}

/** States that a queued execution can be given. */
export const UNQUEUED_STATES = ["RUNNING", "CANCELLED", "FAILED"] as const;
type UnqueuedState = typeof UNQUEUED_STATES[number];

/** An event. Task runs are given by ordinal. */
export type Event =
  /** The execution may start: it was created, its schedule date has come, or a slot is free. */
  | { readonly type: "started" }
  /** The concurrency limit of its flow keeps it from running. */
  | { readonly type: "refused_slot"; readonly state: Extract<State, "QUEUED" | "CANCELLED" | "FAILED"> }
  /** More branches of a long list may be opened. */
  | { readonly type: "continued"; readonly frame: number }
  /** More of what is open may be stopped. */
  | { readonly type: "stop_continued"; readonly sparesChildren?: boolean }
  /** The condition was rendered. An error fails the task run. */
  | {
    readonly type: "condition_rendered";
    readonly taskRun: number;
    readonly holds: boolean;
    /** The conditions of its listener do not hold: none of the listener's tasks has a task run. */
    readonly isListenerOff?: boolean;
    readonly error?: string;
  }
  /** Applies the rendered properties that a flowable task decides by. */
  | {
    readonly type: "decision_rendered";
    readonly taskRun: number;
    readonly properties: JsonObject;
    readonly error?: string;
    /** Files that the task has written before or after its children. */
    readonly files?: PendingFiles;
  }
  /** An attempt has ended; `message` is logged as an error. With an `attempt` number it is ignored once another attempt has begun. */
  | {
    readonly type: "attempt_ended";
    readonly taskRun: number;
    readonly attempt?: number;
    readonly outcome: AttemptOutcome;
    readonly message?: string;
  }
  /** The worker that ran the attempt is gone; `isStopped`: it was stopped in order. Ignored once another attempt has begun. */
  | {
    readonly type: "attempt_lost";
    readonly taskRun: number;
    readonly attempt: number;
    readonly isStopped?: boolean;
  }
  /** The task run of a waiting task waits until `dueAt`; it fails then if there is a `failure`. */
  | {
    readonly type: "wait_begun";
    readonly taskRun: number;
    readonly dueAt: Instant;
    readonly failure?: string;
  }
  /** A timer of command `set_timer` is due. */
  | { readonly type: "timer_due"; readonly timer: TimerName }
  /** The outputs of the flow were rendered or failed; `ignored` has the reasons of optional ones that are null. */
  | {
    readonly type: "outputs_rendered";
    readonly outputs?: JsonObject;
    readonly error?: string;
    readonly ignored?: readonly string[];
  }
  /**
   * SLA assertions were rendered; `violated` has their positions, `ignored` why others could not be. After the last ones the
   * execution ends.
   */
  | {
    readonly type: "assertions_rendered";
    readonly violated: readonly string[];
    readonly ignored?: readonly string[];
    readonly isLast?: boolean;
  }
  /** A child execution is created in the same commit. With an `attempt` number it is ignored once another attempt has begun. */
  | {
    readonly type: "child_started";
    readonly taskRun: number;
    readonly attempt?: number;
    readonly executionId: string;
    readonly waits: boolean;
    /** It exists: this execution, or the one that replaced it, runs again. */
    readonly restarts?: string;
  }
  /** Some of many child executions are created in the same commit, from index `from` on. */
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
    /** Only of a Loop. */
    readonly passes?: PassRules;
    /** Files that the task has written before its children. */
    readonly files?: PendingFiles;
  }
  /** Some of many child executions run again in the same commit. */
  | {
    readonly type: "children_restarted";
    readonly taskRun: number;
    readonly attempt: number;
    /** The counts, with the first event. */
    readonly begins?: ChildNumbers;
    /** Indexes from `from` up to `next` were checked. */
    readonly from: number;
    readonly next: number;
    /** The number of later ones that must run again. */
    readonly left: number;
    /** With the end that each had. */
    readonly executions: readonly (RestartedChild & { readonly former: State })[];
  }
  /** Many child executions must stop, from index `from` on. */
  | { readonly type: "children_kill_asked" } & KilledChildren
  /** The child executions of all task runs that were stopped at that time must stop, from ordinal `from` on. */
  | { readonly type: "orphans_kill_asked"; readonly at: Instant; readonly from: number }
  /**
   * A child execution has ended; `replaces` is the end it reported before it was restarted. RETRIED: the execution that
   * replaces it will report another end.
   */
  | {
    readonly type: "child_ended";
    readonly taskRun: number;
    readonly executionId: string;
    readonly state: State;
    /** None of the passes of a Loop: those that are needed are collected at the end. */
    readonly outputs?: JsonObject;
    /** Its outputs are only in its record: they are too large for a stored message. */
    readonly hasStoredOutputs?: boolean;
    readonly replaces?: State;
    /** Why its outputs cannot be used: the task run fails. */
    readonly problem?: string;
    /** The loop must start no pass after this one. */
    readonly breaks?: boolean;
    /** Why it has not succeeded, for the log. */
    readonly report?: EndReport;
  }
  /** Request: stop, with all child executions unless they are spared. */
  | { readonly type: "kill_asked"; readonly sparesChildren?: boolean }
  /** Request: start nothing more; running attempts end. */
  | { readonly type: "pause_asked" }
  /** Request: end a pause. Without a task run: the pause of the execution itself. */
  | {
    readonly type: "resumed";
    readonly taskRun?: number;
    readonly inputs?: JsonObject;
    readonly by?: string;
  }
  /** Request: continue after a breakpoint, up to the given ones. */
  | { readonly type: "breakpoint_passed"; readonly breakpoints?: readonly string[] }
  /** Request: run failed and paused tasks again; `by` is the task run of a parent execution. */
  | {
    readonly type: "restarted";
    readonly by?: { readonly executionId: string; readonly taskRun: number; readonly startedId: string };
  }
  /** Request: change the end of an ended execution. */
  | { readonly type: "state_set"; readonly state: State }
  /** Request: change the end of a task run; what follows runs again. */
  | { readonly type: "task_state_set"; readonly taskRun: number; readonly state: State }
  /** Request: set labels of an ended execution; a mark of the server may be set at any time. */
  | { readonly type: "labels_set"; readonly labels: readonly Label[]; readonly isMark?: boolean }
  /** Request: run a queued execution whatever the limit of its flow, or end it in that state. */
  | { readonly type: "unqueued"; readonly state: UnqueuedState }
  /** Request: end every wait before or between tasks. */
  | { readonly type: "run_forced"; readonly by?: string }
  /** Its changes cannot be stored: it ends FAILED. */
  | { readonly type: "given_up"; readonly reason: string }
  /** The server crashed while the execution was live. Attempts of the task runs `kept` still run on workers. */
  | { readonly type: "recovered"; readonly isGivenUp: boolean; readonly kept?: readonly number[] };

/** Why an execution has not succeeded. */
export interface EndReport {
  /** `<namespace>.<id>` of its flow. */
  readonly flow: string;
  /** Id of the task that caused the end; absent if no task did. */
  readonly task?: string;
  /** Last lines that explain the end, masked and shortened. */
  readonly lines?: readonly string[];
}

/** The events of these types. */
export type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;

/**
 * `start` for a schedule date, `task/<ordinal>` for a waiting task run, `timeout/<ordinal>` for the time limit of a
 * flowable one, `sla/<position>` for a maximal duration.
 */
export type TimerName = "start" | `task/${number}` | `timeout/${number}` | `sla/${string}`;

/** Why a request is refused; the message names the execution, the reason and what is required. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A command to the executor. "Respond" means: give `step` that event. */
export type Command =
  /** Render the condition and respond with `condition_rendered`. */
  | { readonly type: "render_condition"; readonly taskRun: number; readonly task: Task }
  /** Render these properties and respond with `decision_rendered`. */
  | {
    readonly type: "render_decision";
    readonly taskRun: number;
    readonly task: Task;
    readonly properties: readonly string[];
  }
  /** Render the properties, run the task, respond with `attempt_ended` (or `wait_begun`, `attempt_lost`). */
  | {
    readonly type: "run_attempt";
    readonly taskRun: number;
    readonly task: Task;
    readonly attemptNumber: number;
    /** The attempt already runs, on a worker: await its end. */
    readonly isResumed?: boolean;
  }
  /** Render the outputs of the fixture and respond with `attempt_ended` in its state; the task is not run. */
  | {
    readonly type: "render_fixture";
    readonly taskRun: number;
    readonly task: Task;
    readonly fixture: TaskFixture;
    readonly attempt: number;
  }
  /** Stop the attempt; it responds with `attempt_ended`. */
  | { readonly type: "interrupt_attempt"; readonly taskRun: number }
  /** Store a timer with the transition. */
  | { readonly type: "set_timer"; readonly timer: TimerName; readonly dueAt: Instant }
  /** Remove the timer, if there is one. */
  | { readonly type: "cancel_timer"; readonly timer: TimerName }
  /** Render the outputs of the flow and respond with `outputs_rendered`. */
  | { readonly type: "render_outputs" }
  /** Render the SLA assertions and respond with `assertions_rendered`; the execution waits for the last ones before its end. */
  | { readonly type: "render_assertions"; readonly isLast?: boolean }
  /**
   * Create a child execution in the commit of this transition and respond with `child_started`, or `attempt_ended`. A task
   * with many executions creates some, from index `from` on, and responds with `children_started`.
   */
  | {
    readonly type: "start_child";
    readonly taskRun: number;
    readonly task: Task;
    readonly from?: number;
    /** The execution to run again if possible; otherwise another one is created. */
    readonly restarts?: string;
  }
  /** Run a child execution again. */
  | {
    readonly type: "restart_child";
    readonly taskRun: number;
  } & RestartedChild
  /** Respond with `children_kill_asked`, also if the server stops before. */
  | { readonly type: "kill_children" } & KilledChildren
  /** Respond with `orphans_kill_asked`, also if the server stops before. */
  | { readonly type: "kill_orphans"; readonly at: Instant; readonly from: number }
  /** Collect the outputs of all passes of a Loop and respond with `attempt_ended` in that state, or FAILED. */
  | {
    readonly type: "collect_outputs";
    readonly taskRun: number;
    readonly attempt: number;
    readonly state: AttemptOutcome["state"];
  }
  /** Kill a child execution. */
  | { readonly type: "kill_child"; readonly executionId: string }
  /** Respond with `started`, or with `refused_slot` when the limit of the flow is reached. */
  | { readonly type: "ask_slot" }
  /** Take a slot whatever the limit of the flow. */
  | { readonly type: "force_slot" }
  /** Create an execution that replaces this one and starts at that time. */
  | { readonly type: "start_over"; readonly at: Instant }
  /** Announce that the execution has reached a terminal state. */
  | { readonly type: "announce_end" }
  /** Respond with `continued` after the other events; `frame` is the ordinal of a flowable task run, or -1. */
  | { readonly type: "continue"; readonly frame: number }
  /** Respond with `stop_continued`. After a crash the recovery does the same. */
  | { readonly type: "continue_stop"; readonly sparesChildren?: boolean };
