/** Log lines of an attempt on their way to the server: in batches, in order, each batch until it is confirmed. */
import type { CancelTimer, Clock } from "../base/time/clock.ts";
import { jsonBytes } from "../base/json_size.ts";
import { cutLogMessage } from "../model/executions/execution.ts";
import type { LogLevel } from "../model/flows/flow.ts";
import { MAX_REPORT_BYTES, MAX_REPORT_LINES, type ReportedLine } from "../model/http/worker_protocol.ts";

interface AttemptLogOptions {
  readonly clock: Clock;
  /** Sends a batch until it is confirmed. Rejects when the attempt is given up. */
  readonly send: (lines: readonly ReportedLine[]) => Promise<void>;
}

/** Longest time until a line is sent. */
const FLUSH_MS = 500;
/** Lines and bytes that wait before the writer has to. */
const MAX_WAITING_LINES = 2 * MAX_REPORT_LINES;
const MAX_WAITING_BYTES = 2 * MAX_REPORT_BYTES;

/** The lines of one attempt. */
export class AttemptLog {
  readonly #options: AttemptLogOptions;
  #lines: ReportedLine[] = [];
  #bytes = 0;
  #sending: Promise<void> | undefined;
  #cancelTimer: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: AttemptLogOptions) {
    this.#options = options;
  }

  /** Adds a message, cut as the server cuts it: a longer one may exceed a report. The server makes lines of it. */
  add(level: LogLevel, text: string): void {
    if (this.#isClosed) return;
    const message = cutLogMessage(text);
    this.#lines.push([level, message]);
    this.#bytes += jsonBytes(message);
    this.#cancelTimer ??= this.#options.clock.setTimer(FLUSH_MS, () => this.#flush());
  }

  /** `undefined` while there is room; else resolves once there is, or when `signal` aborts. */
  room(signal: AbortSignal): Promise<void> | undefined {
    return this.#isFull() && !signal.aborted ? this.#wait(signal) : undefined;
  }

  /** Sends what does not fit one message; returns the remaining lines. Later lines are dropped. */
  async close(): Promise<readonly ReportedLine[]> {
    this.#cancelTimer?.();
    while (this.#sending || this.#lines.length > MAX_REPORT_LINES || this.#bytes > MAX_REPORT_BYTES) {
      this.#flush();
      await this.#sending;
    }
    this.#isClosed = true;
    return this.#lines;
  }

  /** Drops all lines: the attempt is given up. */
  drop(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#lines = [];
    this.#bytes = 0;
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener("abort", stop);
    while (this.#isFull() && !signal.aborted) {
      this.#flush();
      await Promise.race([this.#sending, stopped.promise]);
    }
    signal.removeEventListener("abort", stop);
  }

  #isFull(): boolean {
    return !this.#isClosed && (this.#lines.length >= MAX_WAITING_LINES || this.#bytes >= MAX_WAITING_BYTES);
  }

  #flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#sending || this.#lines.length === 0) return;
    const batch = this.#takeBatch();
    this.#sending = this.#options.send(batch).then(
      () => this.#sent(),
      () => this.drop(),
    ).finally(() => this.#sending = undefined);
  }

  #sent(): void {
    if (this.#lines.length > 0) {
      this.#cancelTimer ??= this.#options.clock.setTimer(FLUSH_MS, () => this.#flush());
    }
  }

  #takeBatch(): ReportedLine[] {
    let bytes = 0;
    let count = 0;
    for (const [, message] of this.#lines) {
      bytes += jsonBytes(message);
      if (count > 0 && (count >= MAX_REPORT_LINES || bytes > MAX_REPORT_BYTES)) break;
      count++;
    }
    const batch = this.#lines.splice(0, count);
    for (const [, message] of batch) this.#bytes -= jsonBytes(message);
    return batch;
  }
}
