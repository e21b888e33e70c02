/** The ports a task may use: everything a task does outside itself goes through one of these. */
import type { Instant } from "../base/clock.ts";
import type { LogLevel } from "./flow.ts";

/** Given to each attempt. */
export interface RunContext {
  readonly executionId: string;
  readonly taskRunId: string;
  /** From 1. */
  readonly attemptNumber: number;
  /** Aborted when the attempt must stop: a kill, a time-out, or the end of the server. */
  readonly signal: AbortSignal;
  /** The current time. */
  now(): Instant;
  /** Adds a line to the log of this attempt. */
  log(level: LogLevel, message: string): void;
}
