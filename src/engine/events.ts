/** What can happen to an execution, and what it asks for in return. */
import type { Instant } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { Task } from "../model/flow.ts";
import type { AttemptOutcome } from "../model/task_catalog.ts";

/** A fact given to {@link step}. Task runs are named by ordinal. */
export type Event =
  /** The execution may begin: it was just created, or its schedule date has come. */
  | { readonly type: "started" }
  /** `runIf` was rendered. An error fails the task run. */
  | {
    readonly type: "condition_rendered";
    readonly taskRun: number;
    readonly holds: boolean;
    readonly error?: string;
  }
  /** An attempt has ended; `message` is logged as an error. */
  | {
    readonly type: "attempt_ended";
    readonly taskRun: number;
    readonly outcome: AttemptOutcome;
    readonly message?: string;
  }
  /** The task run of a waiting task is waiting until then. */
  | { readonly type: "wait_begun"; readonly taskRun: number; readonly dueAt: Instant }
  /** A timer that {@link Command} `set_timer` asked for is due. */
  | { readonly type: "timer_due"; readonly timer: TimerName }
  /** The flow's outputs were rendered, or could not be. */
  | { readonly type: "outputs_rendered"; readonly outputs?: JsonObject; readonly error?: string }
  /** Somebody wants it to stop. */
  | { readonly type: "kill_asked" }
  /** The server was down while the execution was live. */
  | { readonly type: "recovered"; readonly isGivenUp: boolean };

/** `start` for a schedule date, `task/<ordinal>` for a waiting task run. */
export type TimerName = "start" | `task/${number}`;

/** What the executor must do. */
export type Command =
  /** Render `runIf` and answer with `condition_rendered`. */
  | { readonly type: "render_condition"; readonly taskRun: number; readonly task: Task }
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
  | { readonly type: "render_outputs" };
