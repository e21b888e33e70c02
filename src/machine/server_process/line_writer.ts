/** Writes log lines to a stream in batches: at 30,000 requests a second a system call per line costs more than the requests. */
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { ServerLogLevel } from "../../base/log.ts";
import { withSourcePositions } from "./source_positions.ts";

interface SyncWriter {
  /** Writes some of the bytes; returns their number. */
  writeSync(bytes: Uint8Array): number;
}

const FLUSH_MS = 50;
const FLUSH_CHARS = 65_536;

/** Collects lines for at most {@link FLUSH_MS}; errors and warnings are written at once. */
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

  /** Adds a line, without a line break. */
  write(line: string, level: ServerLogLevel): void {
    this.#lines += (level === "error" ? withSourcePositions(line) : line) + "\n";
    if (level === "error" || level === "warn" || this.#lines.length >= FLUSH_CHARS) return this.flush();
    this.#cancel ??= this.#clock.setTimer(FLUSH_MS, () => this.flush());
  }

  /** Writes the collected lines. A closed pipe must not end the server. */
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
