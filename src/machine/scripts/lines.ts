/** Splits a byte stream into lines, with back-pressure. A carriage return ends a line too, so that progress is shown. */
import { joinBytes } from "../../base/bytes.ts";
import type { Clock } from "../../base/time/clock.ts";
import { letOthersRun } from "../../base/time/turn.ts";
import { MAX_PROCESS_LINE_BYTES } from "../../model/ports/processes.ts";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** Bytes before it yields, so that a busy stream cannot starve other tasks. */
const BYTES_PER_TURN = 64 * 1024;
/** Cost of a line, in bytes to read. */
const LINE_BYTES = 64;

/** A line without its end. */
export interface ReadLine {
  readonly text: string;
  readonly cutFromBytes?: number;
}

/** Total wait for the streams of an ended process: a child that left its group may hold them open. */
const LINGER_MS = 2_000;
/** Limit of reading after the end of a process. Linux pipes hold 64 KiB, at most 1 MiB. */
const MAX_LEFT_BYTES = 2 * 1024 * 1024;

/** Reads the lines of one stream. */
export class LineReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #clock: Clock;
  readonly #take: (line: ReadLine) => Promise<void> | void;
  readonly #takeBytes: ((bytes: Uint8Array) => Promise<void> | void) | undefined;
  /** Kept parts of the current line. */
  #parts: Uint8Array[] = [];
  #kept = 0;
  #size = 0;
  /** The last byte was a carriage return; a line feed may follow. */
  #isReturned = false;
  #isEnding = false;
  #isReading = false;
  /** Bytes since the last yield. */
  #turnBytes = 0;
  #leftMs = LINGER_MS;
  #leftBytes = MAX_LEFT_BYTES;
  #cancelTimer = () => {};

  /** With `takeBytes` the stream is not split. */
  constructor(
    stream: ReadableStream<Uint8Array>,
    clock: Clock,
    take: (line: ReadLine) => Promise<void> | void,
    takeBytes?: (bytes: Uint8Array) => Promise<void> | void,
  ) {
    this.#reader = stream.getReader();
    this.#clock = clock;
    this.#take = take;
    this.#takeBytes = takeBytes;
  }

  /** Reads to the end of the stream; a rest without a line break is a line too. */
  async run(): Promise<void> {
    try {
      while (this.#leftBytes > 0) {
        const { done, value } = await this.#read();
        if (done) break;
        if (this.#isEnding) this.#leftBytes -= value.length;
        // A copy: the platform may reuse the buffer.
        await (this.#takeBytes ? this.#takeBytes(value.slice()) : this.#split(value));
      }
      if (this.#size > 0) await this.#endLine();
    } finally {
      await this.#reader.cancel();
    }
  }

  async #yield(): Promise<void> {
    this.#turnBytes = 0;
    await letOthersRun();
  }

  /** After the end of the process: reads what it has written, within {@link LINGER_MS}. */
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

  /** Only the time of reading counts, not that of `take`. */
  #limitRead(): void {
    const startMs = this.#clock.monotonicMs();
    const cancel = this.#clock.setTimer(this.#leftMs, () => void this.#reader.cancel());
    this.#cancelTimer = () => {
      cancel();
      this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonicMs() - startMs));
      this.#cancelTimer = () => {};
    };
  }

  async #split(bytes: Uint8Array): Promise<void> {
    const ends = new LineEnds(bytes);
    for (let start = 0; start < bytes.length;) {
      if (this.#isReturned && bytes[start] !== LINE_FEED && this.#size > 0) await this.#endLine();
      this.#isReturned = false;
      const end = ends.next(start);
      const part = bytes.subarray(start, end);
      this.#keep(part);
      this.#turnBytes += part.length + LINE_BYTES;
      if (this.#turnBytes >= BYTES_PER_TURN) await this.#yield();
      start = end + 1;
      this.#isReturned = bytes[end] === CARRIAGE_RETURN;
      const taken = bytes[end] === LINE_FEED ? this.#endLine() : undefined;
      if (taken) await taken;
    }
  }

  #keep(bytes: Uint8Array): void {
    this.#size += bytes.length;
    const kept = bytes.subarray(0, Math.max(0, MAX_PROCESS_LINE_BYTES - this.#kept));
    this.#kept += kept.length;
    // A copy: the platform may reuse the buffer.
    if (kept.length > 0) this.#parts.push(kept.slice());
  }

  #endLine(): Promise<void> | void {
    const text = decoder.decode(joinBytes(this.#parts));
    const cutFromBytes = this.#size > this.#kept ? this.#size : undefined;
    this.#parts = [];
    this.#kept = this.#size = 0;
    return this.#take({ text, cutFromBytes });
  }
}

/** Finds line ends. */
class LineEnds {
  readonly #bytes: Uint8Array;
  #feed = -1;
  #return = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The first line feed or carriage return from `start` on, else the end of the text; `start` must ascend. */
  next(start: number): number {
    if (this.#feed < start) this.#feed = this.#find(LINE_FEED, start);
    if (this.#return < start) this.#return = this.#find(CARRIAGE_RETURN, start);
    return Math.min(this.#feed, this.#return);
  }

  #find(byte: number, start: number): number {
    const at = this.#bytes.indexOf(byte, start);
    return at < 0 ? this.#bytes.length : at;
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
