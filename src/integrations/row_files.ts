/**
 * Files of rows in the directory of an attempt: values in Ion or JSON text, one after the other. They are read and written
 * as streams, so that memory does not grow with the number of rows.
 */
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Double, type JsonValue, stringifyJson, tryParseJson } from "../base/json.ts";
import { systemClock } from "../base/time/clock.ts";
import { Turns } from "../base/time/turn.ts";
import { IonError, parseIonRows } from "../languages/ion/mod.ts";
import { type OutputBudget, spend } from "./output_budget.ts";
import { OpenBrackets } from "./open_brackets.ts";

/** Bytes that are read at once. */
const BUFFER_BYTES = 64 * 1024;
const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];
/** Characters that are written at once. */
const BUFFER_CHARS = 64 * 1024;
/** Longest value that spans several lines, in characters. */
const MAX_SPANNING_CHARS = 256 * 1024;
/** Lines after which a value that spans several is read because it seems to end. Each reads the value again. */
const MAX_TRIES = 32;
const TURN_MS = 10;
/** Longest line in characters. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;
/** The same in bytes, where lines are not decoded. */
const MAX_LINE_BYTES = MAX_LINE_CHARS;
/**
 * Longest text within a row that is written: V8 ends the process, without an exception, when an object or list with a text of
 * 2^28 characters, or 2^27 beyond Latin-1, becomes JSON.
 */
const MAX_TEXT_CHARS = 96 * 1024 * 1024;

/** The text of a file in pieces. @throws Error unknown character set */
export async function* readTextFile(path: string, charset = "UTF-8"): AsyncGenerator<string> {
  const decoder = decoderOf(charset);
  const file = await open(path);
  try {
    const buffer = new Uint8Array(BUFFER_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      yield decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
    }
  } finally {
    await file.close();
  }
  yield decoder.decode();
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch (error) {
    throw new Error(`Invalid charset: "${charset}" is not known`, { cause: error });
  }
}

/** The lines of a text without their breaks. @throws Error a line has more than 32 Mi characters */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const lines of lineBatches(texts)) yield* lines;
}

/** As {@link linesOf}, the lines of each text together: a promise for each line would take as long as reading it. */
async function* lineBatches(texts: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  // Pieces of the line that has no end yet.
  let pieces: string[] = [], chars = 0;
  for await (const text of texts) {
    const [first = "", ...others] = text.split("\n");
    pieces.push(first);
    chars += first.length;
    const lines = others.length > 0 ? [pieces.join(""), ...others] : [];
    const rest = lines.pop();
    if (rest !== undefined) [pieces, chars] = [[rest], rest.length];
    if (chars > MAX_LINE_CHARS) throw new Error(`A line has more than ${MAX_LINE_CHARS} characters`);
    yield lines.map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
  }
  const rest = pieces.join("");
  if (rest !== "") yield [rest];
}

/** The values of a file of Ion or JSON text. @throws Error a value is malformed; the message has its line */
export async function* readRows(path: string): AsyncGenerator<JsonValue> {
  for await (const rows of rowBatches(path)) yield* rows;
}

/** As {@link readRows}, the values of each piece of the file together. */
async function* rowBatches(path: string): AsyncGenerator<readonly JsonValue[]> {
  const reader = new RowReader(), turns = new Turns(systemClock, TURN_MS);
  for await (const lines of lineBatches(readTextFile(path))) {
    const rows: JsonValue[] = [];
    for (const line of lines) {
      reader.read(line, rows);
      if (reader.isWithinValue) await turns.next();
    }
    if (rows.length > 0) yield rows;
    await turns.next();
  }
  yield reader.end();
}

/** Receives the rows of a file in their order. */
export interface RowReceiver {
  /** Takes a line without its break as a row; false: its values are read. The bytes change after the call. */
  line(bytes: Uint8Array, start: number, end: number): boolean;
  /** Receives a value that was read. */
  row(row: JsonValue): void;
}

/** Passes the values of a file of Ion or JSON text to `receiver`. @throws Error as {@link readRows}, or the work must stop */
export async function passRows(path: string, receiver: RowReceiver, signal: AbortSignal): Promise<void> {
  const reader = new RowReader();
  const decoder = new TextDecoder();
  const pass = (bytes: Uint8Array, start: number, next: number) => {
    const end = bytes[next - 1] === CARRIAGE_RETURN && next > start ? next - 1 : next;
    if (reader.skip(() => receiver.line(bytes, start, end))) return false;
    const rows: JsonValue[] = [];
    reader.read(decoder.decode(bytes.subarray(start, end)), rows);
    for (const row of rows) receiver.row(row);
    return true;
  };
  await passLines(path, pass, signal);
  for (const row of reader.end()) receiver.row(row);
}

/** Passes the lines of a file with where their breaks are. The bytes change after each call, which gives whether it took long. */
async function passLines(
  path: string,
  pass: (bytes: Uint8Array, start: number, end: number) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const turns = new Turns(systemClock, TURN_MS);
  const file = await open(path);
  try {
    let buffer = new Uint8Array(BUFFER_BYTES), used = 0;
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, used, buffer.length - used);
      if (bytesRead === 0) break;
      const found = buffer.subarray(0, used + bytesRead);
      let start = 0;
      for (let end = found.indexOf(LINE_FEED, used); end >= 0; end = found.indexOf(LINE_FEED, start)) {
        if (pass(found, start, end)) await turns.next();
        start = end + 1;
      }
      await turns.next();
      buffer.copyWithin(0, start, found.length);
      used = found.length - start;
      if (used > MAX_LINE_BYTES) throw new Error(`A line has more than ${MAX_LINE_BYTES} bytes`);
      if (used === buffer.length) buffer = enlarged(buffer);
    }
    if (used > 0) pass(buffer.subarray(0, used), 0, used);
  } finally {
    await file.close();
  }
}

function enlarged(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length);
  larger.set(bytes);
  return larger;
}

/** Reads values line by line. */
class RowReader {
  /** The lines so far of a value that spans several. */
  #open = "";
  #brackets = new OpenBrackets();
  #tries = 0;
  /** Characters of the value when it was read last. */
  #triedChars = 0;
  #lineNumber = 0;
  #firstLine = 1;
  /** A row that is no JSON costs three times as much as one that is read as Ion at once, and its kin follow. */
  #isIon = false;

  /** The lines so far end within a value. */
  get isWithinValue(): boolean {
    return this.#open !== "";
  }

  /** Leaves a line out that `take` accepts; none within a value. */
  skip(take: () => boolean): boolean {
    if (this.isWithinValue || !take()) return false;
    this.#lineNumber++;
    return true;
  }

  /** Adds the values that end with this line. @throws Error a value is malformed */
  read(line: string, rows: JsonValue[]): void {
    this.#lineNumber++;
    if (!this.isWithinValue) {
      if (line.trim() !== "") this.#readFirst(line, rows);
      return;
    }
    this.#open += `\n${line}`;
    const { length } = this.#open;
    const seemsToEnd = this.#brackets.closesWith(line) && this.#tries++ < MAX_TRIES;
    if (!seemsToEnd && length < 2 * this.#triedChars && length <= MAX_SPANNING_CHARS) return;
    const error = this.#try(this.#open, rows);
    if (!error) this.#open = "";
    else if (length > MAX_SPANNING_CHARS) throw malformed(this.#firstLine, error);
  }

  /** The values after the last line. @throws Error a value is incomplete */
  end(): JsonValue[] {
    const rows: JsonValue[] = [];
    const error = this.isWithinValue && this.#try(this.#open, rows);
    if (error) throw malformed(this.#firstLine, error);
    return rows;
  }

  #readFirst(line: string, rows: JsonValue[]): void {
    this.#firstLine = this.#lineNumber;
    const error = this.#try(line, rows);
    if (!error) return;
    if (line.length > MAX_SPANNING_CHARS) throw malformed(this.#firstLine, error);
    this.#open = line;
    this.#tries = 0;
    this.#brackets = new OpenBrackets();
    this.#brackets.closesWith(line);
  }

  /** Adds the values of a text, or gives why there are none. */
  #try(text: string, rows: JsonValue[]): IonError | undefined {
    this.#triedChars = text.length;
    const json: JsonValue | undefined = this.#isIon ? undefined : tryParseJson(text);
    const values: JsonValue[] | IonError = json === undefined ? ionValuesOf(text) : [json];
    if (!Array.isArray(values)) return values;
    this.#isIon ||= json === undefined;
    for (const value of values) rows.push(value);
    return undefined;
  }
}

/** The values of a text, or why there are none. */
function ionValuesOf(text: string): JsonValue[] | IonError {
  try {
    return parseIonRows(text);
  } catch (error) {
    if (error instanceof IonError) return error;
    throw error;
  }
}

function malformed(line: number, error: IonError): Error {
  return new Error(`Cannot read the rows: the value of line ${line} is malformed: ${error.message}`);
}

/** One line of JSON a value, which is Ion, too. @throws Error a text is too long */
export async function* rowLines(
  rows: AsyncIterable<JsonValue> | Iterable<JsonValue>,
): AsyncGenerator<string> {
  for await (const row of rows) {
    checkTexts(row);
    yield `${stringifyJson(row)}\n`;
  }
}

function checkTexts(value: JsonValue): void {
  if (typeof value === "string" && value.length > MAX_TEXT_CHARS) {
    throw new Error(
      `Cannot write a row: a text has ${value.length} characters, and at most ${MAX_TEXT_CHARS} are possible`,
    );
  }
  if (typeof value !== "object" || value === null || value instanceof Double) return;
  if (Array.isArray(value)) value.forEach(checkTexts);
  else for (const name in value) checkTexts(value[name] as JsonValue);
}

/** Writes a file from pieces of any size. @throws Error the budget is spent */
export async function writePieces(
  path: string,
  pieces: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
  budget?: OutputBudget,
): Promise<void> {
  const source = Readable.from(gathered(pieces, budget), { highWaterMark: 1 });
  await pipeline(source, createWriteStream(path), { signal });
}

/** Joins small texts. */
async function* gathered(
  pieces: AsyncIterable<string | Uint8Array>,
  budget: OutputBudget | undefined,
): AsyncGenerator<string | Uint8Array> {
  let text = "";
  for await (const piece of pieces) {
    if (budget) spend(budget, piece);
    if (typeof piece === "string") text += piece;
    if (text !== "" && (typeof piece !== "string" || text.length >= BUFFER_CHARS)) {
      yield text;
      text = "";
    }
    if (typeof piece !== "string") yield piece;
  }
  if (text !== "") yield text;
}
