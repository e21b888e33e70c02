/** Writes rows as lines of Ion into a file. */
import { ByteFile } from "../byte_file.ts";
import { checkColumns, checkRow, MalformedMessage } from "../result_columns.ts";
import { type Cell, type Column, ionCell, lastOfNames } from "./cells.ts";

/** A cell is written as it is, up to six times as long where each character must be escaped. */
const MAX_GROWTH = 6;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const HEX = encoder.encode("0123456789abcdef");
const [NULL_TEXT, TRUE_TEXT, FALSE_TEXT] = [
  encoder.encode("null"),
  encoder.encode("true"),
  encoder.encode("false"),
];
const [UTC_TEXT, WHOLE_HOUR, ROW_END] = [encoder.encode("Z"), encoder.encode(":00"), encoder.encode("}\n")];
const [QUOTE, BACKSLASH, BRACE, SPACE] = [0x22, 0x5c, 0x7b, 0x20];
const [DIGIT_0, DIGIT_9, PLUS, MINUS] = [0x30, 0x39, 0x2b, 0x2d];
const [TRUE, LETTER_T] = [0x74, 0x54];
/** Characters of a day with a year of four digits. */
const DAY_LENGTH = 10;

/** How one column is written. */
interface CellWriter {
  readonly column: Column;
  /** Before the value. */
  readonly prefix: string;
  readonly prefixBytes: Uint8Array;
  /** Absent: each cell is decoded. */
  readonly form?: "text" | "number" | "boolean" | "instant";
}

/** A file of rows. */
export class IonFile implements Disposable {
  readonly #file: ByteFile;
  #columns: readonly Column[] = [];
  #writers: readonly (CellWriter | undefined)[] = [];
  #rowCount = 0;

  /** A write fails beyond `maxBytes`. */
  constructor(path: string, maxBytes?: number) {
    this.#file = new ByteFile(path, maxBytes);
  }

  /** Rows so far. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Sets the columns of the rows that follow. */
  columns(columns: readonly Column[]): void {
    checkColumns(columns);
    this.#columns = columns;
    const kept = lastOfNames(columns), writers: (CellWriter | undefined)[] = columns.map(() => undefined);
    for (const [place, index] of kept.entries()) {
      const column = columns[index] as Column;
      const prefix = `${place === 0 ? "{" : ","}${JSON.stringify(column.name)}:`;
      writers[index] = { column, prefix, prefixBytes: encoder.encode(prefix), form: formOf(column) };
    }
    this.#writers = writers;
  }

  /** Writes a row of texts. */
  row(cells: readonly Cell[]): void {
    checkRow(this.#columns, cells);
    this.#rowCount++;
    let line = this.#writers.length === 0 ? "{" : "";
    for (const [index, writer] of this.#writers.entries()) {
      if (writer) line += writer.prefix + ionCell(writer.column, cells[index] ?? null);
    }
    this.#file.text(`${line}}\n`);
  }

  /**
   * Writes a row of the PostgreSQL protocol: the number of cells, then the length and the text of each.
   * @throws MalformedMessage a cell ends after the row
   */
  frame(bytes: Uint8Array, start: number, end: number): void {
    this.#rowCount++;
    let at = start + 2;
    for (const writer of this.#writers) {
      const length = int32At(bytes, at);
      at += 4;
      if (at + Math.max(length, 0) > end) throw new MalformedMessage("A cell ends after its row");
      if (writer) this.#cell(writer, bytes, at, length);
      if (length > 0) at += length;
    }
    const file = this.#file;
    file.reserve(8);
    if (this.#writers.length === 0) file.buffer[file.used++] = BRACE;
    file.copy(ROW_END, 0, ROW_END.length);
  }

  /** Closes the file with all rows in it. */
  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  /** Four arguments: an object a cell would take as long as the cell. */
  #cell(
    { column, prefixBytes: prefix, form }: CellWriter,
    bytes: Uint8Array,
    start: number,
    length: number,
  ): void {
    const file = this.#file;
    file.reserve(prefix.length + Math.max(length, 0) * MAX_GROWTH + 16);
    file.copy(prefix, 0, prefix.length);
    const end = start + length;
    if (length < 0) file.copy(NULL_TEXT, 0, NULL_TEXT.length);
    else if (form === "text") this.#quoted(bytes, start, end);
    else if (form === "number" && isDigit(bytes[start])) file.copy(bytes, start, end);
    else if (form === "boolean") {
      const text = bytes[start] === TRUE ? TRUE_TEXT : FALSE_TEXT;
      file.copy(text, 0, text.length);
    } else if (form === "instant" && isInstant(bytes, start, end)) this.#instant(bytes, start, end);
    else file.text(ionCell(column, decoder.decode(bytes.subarray(start, end))));
  }

  /** `2024-02-29 10:11:12.5+01` as ISO 8601. Room is reserved. */
  #instant(bytes: Uint8Array, start: number, end: number): void {
    const file = this.#file;
    const at = file.used;
    const isUtc = bytes[end - 1] === DIGIT_0 && bytes[end - 2] === DIGIT_0;
    file.copy(bytes, start, isUtc ? end - 3 : end);
    file.buffer[at + DAY_LENGTH] = LETTER_T;
    file.copy(isUtc ? UTC_TEXT : WHOLE_HOUR, 0, isUtc ? UTC_TEXT.length : WHOLE_HOUR.length);
  }

  /** A text in quotes. Room is reserved. */
  #quoted(bytes: Uint8Array, start: number, end: number): void {
    const { buffer } = this.#file;
    let { used } = this.#file;
    buffer[used++] = QUOTE;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) buffer[used++] = byte;
      else used = escape(buffer, used, byte);
    }
    buffer[used++] = QUOTE;
    this.#file.used = used;
  }
}

/** Numbers with a sign take the longer way, since infinity and NaN are written as words. */
function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_9;
}

/** A year of four digits, and an offset of whole hours at the end. */
function isInstant(bytes: Uint8Array, start: number, end: number): boolean {
  const sign = bytes[end - 3];
  return end - start > DAY_LENGTH && bytes[start + DAY_LENGTH] === SPACE &&
    (sign === PLUS || sign === MINUS) &&
    !(bytes[start] === DIGIT_0 && bytes[start + 1] === DIGIT_0 && bytes[start + 2] === DIGIT_0);
}

/** How cells of a column may be copied without being decoded. */
function formOf({ kind, isList }: Column): CellWriter["form"] {
  if (isList) return undefined;
  if (kind === "integer" || kind === "decimal") return "number";
  return kind === "text" || kind === "boolean" || kind === "instant" ? kind : undefined;
}

function int32At(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) << 24 | (bytes[at + 1] ?? 0) << 16 | (bytes[at + 2] ?? 0) << 8 |
    (bytes[at + 3] ?? 0);
}

function escape(buffer: Uint8Array, at: number, byte: number): number {
  buffer[at++] = BACKSLASH;
  const short = byte === 0x0a ? 0x6e : byte === 0x0d ? 0x72 : byte === 0x09 ? 0x74 : undefined;
  if (byte >= 0x20 || short !== undefined) {
    buffer[at++] = short ?? byte;
    return at;
  }
  buffer.set([0x75, 0x30, 0x30, HEX[byte >> 4] ?? 0, HEX[byte & 15] ?? 0], at);
  return at + 5;
}
