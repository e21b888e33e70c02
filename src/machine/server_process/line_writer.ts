/** Writes lines of the log to a stream, many at once: a system call for each of 30,000 requests a second costs more than the requests. */
import type { CancelTimer, Clock } from "../../base/clock.ts";
import type { ServerLogLevel } from "../../base/log.ts";

/** What is written to. */
interface SyncWriter {
  /** Writes some of the bytes; gives how many. */
  writeSync(bytes: Uint8Array): number;
}

const FLUSH_MS = 50;
const FLUSH_CHARS = 65_536;

/** Collects lines for at most {@link FLUSH_MS}; those that say that something is wrong are written at once. */
export class LineWriter {
  readonly #writer: SyncWriter;
  readonly #clock: Clock;
  readonly #encoder = new TextEncoder();
  #lines = "";
  #cancel: CancelTimer | undefined;

  constructor(writer: SyncWriter, clock: Clock) {
    this.#writer = writer;
    this.#clock = clock;
  }

  /** Takes a line without a line break. */
  write(line: string, level: ServerLogLevel): void {
    this.#lines += line + "\n";
    if (level === "error" || level === "warn" || this.#lines.length >= FLUSH_CHARS) return this.flush();
    this.#cancel ??= this.#clock.setTimer(FLUSH_MS, () => this.flush());
  }

  /** Writes what was collected. A reader that has gone away must not end the server. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const bytes = this.#encoder.encode(this.#lines);
    this.#lines = "";
    try {
      for (let offset = 0; offset < bytes.length;) offset += this.#writer.writeSync(bytes.subarray(offset));
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "BrokenPipe") throw error;
    }
  }
}
