/** An execution in a few facts, for messages to people. */
import type { State } from "./state.ts";

/** An execution as messages about it show it. */
export interface ExecutionSummary {
  readonly id: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly state: State;
  /** ISO 8601. */
  readonly startedAt: string;
  /** So far, if it has not ended. */
  readonly durationMs: number;
  /** Tasks that failed, in the order of their starts. */
  readonly failedTasks: readonly string[];
  /** Its page in the UI; absent if the server does not know its own address. */
  readonly url?: string;
}
