/** A stream of bytes as lines, read no faster than they are taken. */
import type { Clock } from "../../base/clock.ts";
import { MAX_PROCESS_LINE_BYTES } from "../../model/ports/processes.ts";

/** A line without its end. */
export interface ReadLine {
  readonly text: string;
  readonly cutFromBytes?: number;
}

/** How long an ended process may keep its stream open: something that left its group still holds it. */
const LINGER_MS = 2_000;

/** Reads lines. */
export class LineReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #clock: Clock;
  readonly #take: (line: ReadLine) => Promise<void> | void;
  /** What is known of the line under way. */
  #parts: Uint8Array[] = [];
  #kept = 0;
  #size = 0;
  #isEnding = false;
  #isReading = false;
  #cancelTimer = () => {};

  constructor(
    stream: ReadableStream<Uint8Array>,
    clock: Clock,
    take: (line: ReadLine) => Promise<void> | void,
  ) {
    this.#reader = stream.getReader();
    this.#clock = clock;
    this.#take = take;
  }

  /** Reads to the end of the stream; what the last line break leaves is a line too. */
  async run(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#read();
        if (done) break;
        await this.#split(value);
      }
      if (this.#size > 0) await this.#endLine();
    } finally {
      await this.#reader.cancel();
    }
  }

  /** The process has ended: what it has written is still read, but nothing else is waited for. */
  expectEnd(): void {
    this.#isEnding = true;
    if (this.#isReading) this.#limitRead();
  }

  async #read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    this.#isReading = true;
    if (this.#isEnding) this.#limitRead();
    try {
      return await this.#reader.read();
    } finally {
      this.#isReading = false;
      this.#cancelTimer();
    }
  }

  #limitRead(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.setTimer(LINGER_MS, () => void this.#reader.cancel());
  }

  async #split(bytes: Uint8Array): Promise<void> {
    for (let start = 0;;) {
      const end = bytes.indexOf(10, start);
      this.#keep(bytes.subarray(start, end < 0 ? bytes.length : end));
      if (end < 0) return;
      const taken = this.#endLine();
      if (taken) await taken;
      start = end + 1;
    }
  }

  #keep(bytes: Uint8Array): void {
    this.#size += bytes.length;
    const kept = bytes.subarray(0, Math.max(0, MAX_PROCESS_LINE_BYTES - this.#kept));
    this.#kept += kept.length;
    // A copy: the platform may use the buffer again.
    if (kept.length > 0) this.#parts.push(kept.slice());
  }

  #endLine(): Promise<void> | void {
    const text = decoder.decode(joined(this.#parts, this.#kept)).replace(/\r$/, "");
    const cutFromBytes = this.#size > this.#kept ? this.#size : undefined;
    this.#parts = [];
    this.#kept = this.#size = 0;
    return this.#take({ text, cutFromBytes });
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
