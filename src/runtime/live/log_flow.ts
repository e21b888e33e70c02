/** Has the log lines of long attempts stored while they run, and tells those who write faster than that to wait. */
import type { CancelTimer, Clock } from "../../base/clock.ts";
import { jsonBytes } from "../../base/json_size.ts";
import type { Execution } from "../../model/executions/execution.ts";

/** Lines, and bytes, that wait to be stored before their writer has to. A commit takes 700 KB in all. */
const MAX_WAITING_LINES = 1_000;
const MAX_WAITING_BYTES = 128 * 1024;
/** The most that a line waits while its attempt goes on. */
const FLUSH_MS = 500;

/** What it works with. */
interface LogFlowDeps {
  readonly clock: Clock;
  /** Has what is new of an execution committed. */
  readonly wake: () => void;
}

/** The new lines of one execution under way. */
export class LogFlow {
  readonly #execution: Execution;
  readonly #deps: LogFlowDeps;
  /** The list that {@link #bytes} counts; a commit begins another one. */
  #lines: readonly unknown[] | undefined;
  #bytes = 0;
  #cancelTimer: CancelTimer | undefined;
  #waiting: (() => void)[] = [];

  constructor(execution: Execution, deps: LogFlowDeps) {
    this.#execution = execution;
    this.#deps = deps;
  }

  /** A line was added. */
  noted(message: string): void {
    const { newLogs } = this.#execution;
    if (newLogs !== this.#lines) this.#bytes = 0;
    this.#lines = newLogs;
    this.#bytes += jsonBytes(message);
    if (this.#isFull()) this.#flush();
    else this.#cancelTimer ??= this.#deps.clock.setTimer(FLUSH_MS, () => this.#flush());
  }

  /** `undefined` while there is room for more lines; else settles when there is, or when the writer is to stop. */
  room(signal: AbortSignal): Promise<void> | undefined {
    return this.#isFull() && !signal.aborted ? this.#wait(signal) : undefined;
  }

  /** What was written is durable. */
  committed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** An attempt has ended, and its end is committed anyway. */
  rest(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stopped.resolve(), { once: true });
    while (this.#isFull() && !signal.aborted) {
      const committed = new Promise<void>((resolve) => this.#waiting.push(resolve));
      this.#flush();
      await Promise.race([committed, stopped.promise]);
    }
    stopped.resolve();
  }

  #isFull(): boolean {
    const { newLogs } = this.#execution;
    if (newLogs.length >= MAX_WAITING_LINES) return true;
    return newLogs === this.#lines && this.#bytes >= MAX_WAITING_BYTES;
  }

  #flush(): void {
    this.rest();
    if (this.#execution.newLogs.length > 0) this.#deps.wake();
  }
}
