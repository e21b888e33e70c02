/** States and the tables of legal transitions. Only {@link move} changes a state. */
import type { Instant } from "../../base/time/clock.ts";

/** Every state of an execution, a task run or an attempt. The order is stored: append only. */
export const STATES = [
  "CREATED",
  "RUNNING",
  "SUCCESS",
  "WARNING",
  "FAILED",
  "KILLED",
  "CANCELLED",
  "QUEUED",
  "PAUSED",
  "RESTARTED",
  "KILLING",
  "RETRYING",
  "RETRIED",
  "SKIPPED",
  "BREAKPOINT",
  "RESUBMITTED",
  "SUBMITTED",
] as const;

/** One of {@link STATES}. */
export type State = typeof STATES[number];

/** States that end an execution, task run or attempt. */
export const TERMINAL_STATES: ReadonlySet<State> = new Set([
  "SUCCESS",
  "WARNING",
  "FAILED",
  "KILLED",
  "CANCELLED",
  "RETRIED",
  "SKIPPED",
  "RESUBMITTED",
]);

/** A state and its start time. */
interface HistoryEntry {
  readonly state: State;
  readonly at: Instant;
}

/** The states of an execution, task run or attempt, oldest first; never empty. */
export type History = HistoryEntry[];

const TERMINAL = ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED"] as const satisfies readonly State[];

/** A restart, or another end that a person sets. */
const AFTER_END = ["RESTARTED", ...TERMINAL, "RETRIED", "SKIPPED"] as const satisfies readonly State[];

/** Legal transitions of executions. */
const EXECUTION_MOVES: Readonly<Record<State, readonly State[]>> = {
  CREATED: ["RUNNING", "QUEUED", "CANCELLED", "FAILED", "KILLING"],
  QUEUED: ["RUNNING", "CANCELLED", "FAILED", "KILLED"],
  RUNNING: [
    "PAUSED",
    "BREAKPOINT",
    "RETRYING",
    "KILLING",
    "CANCELLED",
    "SUCCESS",
    "WARNING",
    "FAILED",
    "RETRIED",
  ],
  PAUSED: ["RESTARTED", "RUNNING", "KILLING", "CANCELLED", "FAILED", "SUCCESS", "WARNING"],
  BREAKPOINT: ["RUNNING", "KILLING", "FAILED", "CANCELLED"],
  RETRYING: ["RUNNING", "RETRIED", "FAILED", "CANCELLED", "KILLING"],
  KILLING: ["KILLED", "FAILED", "CANCELLED"],
  RESTARTED: ["RUNNING", "QUEUED", "KILLING", "FAILED", "CANCELLED"],
  SUCCESS: AFTER_END,
  WARNING: AFTER_END,
  FAILED: AFTER_END,
  KILLED: AFTER_END,
  CANCELLED: AFTER_END,
  RETRIED: AFTER_END,
  SKIPPED: AFTER_END,
  RESUBMITTED: [],
  SUBMITTED: [],
};

/** Legal transitions of task runs and attempts. */
const TASK_RUN_MOVES: Readonly<Record<State, readonly State[]>> = {
  CREATED: [
    "RUNNING",
    "SUBMITTED",
    "SKIPPED",
    "FAILED",
    "WARNING",
    "SUCCESS",
    "KILLED",
    "CANCELLED",
    "PAUSED",
  ],
  SUBMITTED: ["RUNNING", "FAILED", "KILLED", "RESUBMITTED"],
  RUNNING: [
    "SUCCESS",
    "WARNING",
    "FAILED",
    "KILLING",
    "KILLED",
    "CANCELLED",
    "PAUSED",
    "RETRYING",
    "RETRIED",
    "RESUBMITTED",
    "SKIPPED",
  ],
  PAUSED: ["RUNNING", "RESTARTED", "SUCCESS", "WARNING", "FAILED", "KILLING", "KILLED", "CANCELLED"],
  KILLING: ["KILLED"],
  RETRYING: ["CREATED", "RUNNING", "FAILED", "KILLED", "CANCELLED", "RETRIED"],
  FAILED: ["RETRYING", "RETRIED", "RESTARTED", "WARNING", "SUCCESS", "RUNNING"],
  RESTARTED: ["RUNNING", "CREATED", "SKIPPED", "WARNING", "SUCCESS", "KILLED", "FAILED", "CANCELLED"],
  SUCCESS: ["RESTARTED", "RUNNING", ...TERMINAL],
  WARNING: ["RESTARTED", "RUNNING", "SUCCESS", ...TERMINAL],
  KILLED: ["RESTARTED", "RUNNING", ...TERMINAL],
  CANCELLED: ["RESTARTED", "RUNNING", ...TERMINAL],
  SKIPPED: ["RESTARTED", ...TERMINAL],
  RETRIED: ["RESTARTED"],
  QUEUED: [],
  BREAKPOINT: [],
  RESUBMITTED: [],
};

/** The owner of a history; selects the transition table. */
export type StateOwner = "execution" | "task_run";

const MOVES = { execution: EXECUTION_MOVES, task_run: TASK_RUN_MOVES };

/** True if the transition is legal. */
export function canMove(owner: StateOwner, from: State, to: State): boolean {
  return MOVES[owner][from].includes(to);
}

/** Why no sequence of legal moves gives this history; `undefined` if one does. */
export function historyProblem(
  owner: StateOwner,
  history: readonly Pick<HistoryEntry, "state">[],
): string | undefined {
  const line = history.map(({ state }) => state).join(" ");
  if (history[0]?.state !== "CREATED") return `it does not begin CREATED: ${line}`;
  for (let i = 1; i < history.length; i++) {
    const [from, to] = [history[i - 1], history[i]];
    if (!from || !to || !canMove(owner, from.state, to.state)) return `an illegal move: ${line}`;
  }
  return undefined;
}

/** The latest state. */
export function currentState(history: History): State {
  return (history[history.length - 1] as HistoryEntry).state;
}

/** True if it was RUNNING at any time. */
export function hasRun(history: History): boolean {
  return history.some(({ state }) => state === "RUNNING");
}

/** True if the latest state is terminal. */
export function isEnded(history: History): boolean {
  return TERMINAL_STATES.has(currentState(history));
}

/** Start of the first state. */
export function startedAt(history: History): Instant {
  return (history[0] as HistoryEntry).at;
}

/** Start of the latest state. */
export function changedAt(history: History): Instant {
  return (history[history.length - 1] as HistoryEntry).at;
}

/**
 * Appends a state unless it is the current one. Dates never decrease, even if the clock goes backwards.
 * @throws Error illegal transition: a bug, not a refusal
 */
export function move(owner: StateOwner, history: History, to: State, now: Instant): void {
  const last = history[history.length - 1] as HistoryEntry;
  if (last.state === to) return;
  if (!canMove(owner, last.state, to)) throw new Error(`Cannot move ${owner} from ${last.state} to ${to}`);
  history.push({ state: to, at: Math.max(now, last.at) });
}
