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
  /** The list whose first {@link #counted} lines have {@link #bytes}. Each commit starts a new one, also one that is refused. */
  #lines: readonly unknown[] | undefined;
  #counted = 0;
  #bytes = 0;
  #cancelTimer: CancelTimer | undefined;
  #waiting: (() => void)[] = [];

  constructor(execution: Execution, deps: LogFlowDeps) {
    this.#execution = execution;
    this.#deps = deps;
  }

  /** JSON bytes that the next message may have. */
  get maxMessageBytes(): number {
    const free = MAX_UNSTORED_BYTES - this.#unstoredBytes();
    return Math.max(MIN_MESSAGE_BYTES, Math.min(MAX_LOG_MESSAGE_BYTES, free));
  }

  /** To be called after a line was added to the execution. */
  added(): void {
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
    return this.#execution.newLogs.length >= MAX_WAITING_LINES || this.#unstoredBytes() >= MAX_WAITING_BYTES;
  }

  #unstoredBytes(): number {
    const { newLogs } = this.#execution;
    if (newLogs !== this.#lines) this.#counted = this.#bytes = 0;
    this.#lines = newLogs;
    for (; this.#counted < newLogs.length; this.#counted++) {
      this.#bytes += jsonBytes(newLogs[this.#counted]?.message ?? "");
    }
    return this.#bytes;
  }

  #flush(): void {
    this.cancelFlush();
    if (this.#execution.newLogs.length > 0) this.#deps.wake();
  }
}
