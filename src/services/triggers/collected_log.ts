/** Log lines for an execution that a trigger may start: they are stored in the commit of its start. */
import { jsonBytes } from "../../base/json_size.ts";
import type { LogLine } from "../../model/executions/execution.ts";

const MAX_LINES = 1_000;
/** Beside these, the lines of a task that ends at once fit the commit. */
const MAX_BYTES = 128 * 1024;
const LEFT_OUT =
  `Further lines are left out: a trigger logs ${MAX_LINES} lines and ${MAX_BYTES} bytes at the most`;

/** Lines that were not taken yet. */
export class CollectedLog {
  #lines: LogLine[] = [];
  #bytes = 0;

  /** Adds a line; those that are too many are left out, and the last line says so. */
  add(line: LogLine): void {
    if (this.#bytes > MAX_BYTES) return;
    const { length } = line.message;
    this.#bytes += length > MAX_BYTES ? length : jsonBytes(line.message);
    if (this.#lines.length >= MAX_LINES) this.#bytes = Infinity;
    this.#lines.push(this.#bytes > MAX_BYTES ? { ...line, level: "WARN", message: LEFT_OUT } : line);
  }

  /** Returns all lines and removes them. */
  take(): readonly LogLine[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#bytes = 0;
    return lines;
  }
}
