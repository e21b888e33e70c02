/** Repeats work for an execution while the database cannot be read, as a refused commit is repeated: it fails no task. */
import type { Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import { isDatabaseFault } from "../../model/errors.ts";
import type { LiveExecution } from "./live_execution.ts";

/** Parts of the executor that repeat work. */
export interface RepeatDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** True once the server stops: the next process repeats the work. */
  readonly isStopping: () => boolean;
}

interface RepeatOptions {
  readonly live: LiveExecution;
  readonly deps: RepeatDeps;
  /** Whether nothing waits for the result any more; else it is awaited as long as the execution is in memory. */
  readonly isOver?: () => boolean;
}

const RETRY_MS = 1_000;

/**
 * The result of `work`, which is called again while the database fails it; synchronously if that of the first call is.
 * `work` must leave nothing behind when it fails.
 */
export function repeated<T>(work: () => T | Promise<T>, options: RepeatOptions): T | Promise<T> {
  const result = work();
  return result instanceof Promise ? result.catch((error) => again(error, work, options)) : result;
}

async function again<T>(first: unknown, work: () => T | Promise<T>, options: RepeatOptions): Promise<T> {
  const { live, deps: { clock, logger, isStopping }, isOver } = options;
  let error = first;
  while (isDatabaseFault(error)) {
    const fields = { execution: live.execution.id, error: error.message };
    logger.repeated("warn", "A task waits for the database", fields);
    await new Promise<void>((resolve) => void clock.setTimer(RETRY_MS, resolve));
    if (isStopping() || live.isDropped || isOver?.()) break;
    try {
      return await work();
    } catch (next) {
      error = next;
    }
  }
  throw error;
}
