/** Flow control of log lines: stores the lines of long attempts while they run, and makes fast writers wait. */
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { jsonBytes } from "../../base/json_size.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { MAX_LOG_MESSAGE_BYTES } from "../../model/limits.ts";

/** Unstored lines, and bytes, at which the writer has to wait. A commit holds 700 KB in all. */
const MAX_WAITING_LINES = 1_000;
const MAX_WAITING_BYTES = 128 * 1024;
/** Unstored bytes from which messages keep no more than {@link MIN_MESSAGE_BYTES}: many attempts may write before they wait. */
const MAX_UNSTORED_BYTES = 320 * 1024;
const MIN_MESSAGE_BYTES = 1_024;
/** Maximum delay until a line is stored while its attempt runs. */
const FLUSH_MS = 500;

interface LogFlowDeps {
  readonly clock: Clock;
  /** Commits the changes of the execution. */
  readonly wake: () => void;
}

/** The unstored lines of one live execution. */
export class LogFlow {
  readonly #execution: Execution;
  readonly #deps: LogFlowDeps;
  /** The list that {@link #bytes} counts; each commit starts a new one. */
  #lines: readonly unknown[] | undefined;
  #bytes = 0;
  #cancelTimer: CancelTimer | undefined;
  #waiting: (() => void)[] = [];

  constructor(execution: Execution, deps: LogFlowDeps) {
    this.#execution = execution;
    this.#deps = deps;
  }

  /** JSON bytes that the next message may have. */
  get maxMessageBytes(): number {
    const unstored = this.#execution.newLogs === this.#lines ? this.#bytes : 0;
    return Math.max(MIN_MESSAGE_BYTES, Math.min(MAX_LOG_MESSAGE_BYTES, MAX_UNSTORED_BYTES - unstored));
  }

  /** To be called after a line was added to the execution. */
  added(message: string): void {
    const { newLogs } = this.#execution;
    if (newLogs !== this.#lines) this.#bytes = 0;
    this.#lines = newLogs;
    this.#bytes += jsonBytes(message);
    if (this.#isFull()) this.#flush();
    else this.#cancelTimer ??= this.#deps.clock.setTimer(FLUSH_MS, () => this.#flush());
  }

  /** `undefined` while there is room for more lines; else resolves once there is, or when `signal` is aborted. */
  room(signal: AbortSignal): Promise<void> | undefined {
    return this.#isFull() && !signal.aborted ? this.#wait(signal) : undefined;
  }

  /** To be called when a commit has stored the lines. */
  committed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Cancels the scheduled flush: an attempt has ended, and its end is committed anyway. */
  cancelFlush(): void {
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
    this.cancelFlush();
    if (this.#execution.newLogs.length > 0) this.#deps.wake();
  }
}
