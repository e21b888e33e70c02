/** Rows of Ion → lines of CSV. */
import { Buffer } from "node:buffer";
import { Double, isJsonObject, type JsonValue, ownProperty, stringifyJson } from "../../../base/json.ts";
import type { ByteFile } from "../../byte_file.ts";
import { type OutputBudget, spend } from "../../output_budget.ts";
import type { RowReceiver } from "../../row_files.ts";
import { FieldScanner } from "./field_scanner.ts";

/** Rows that are written at once: each call of the package reads the options again. */
const ROWS_AT_ONCE = 500;
/** Fields that are written at once: a row without members has one for each column, too. */
const FIELDS_AT_ONCE = 100_000;
const MAX_COLUMNS = 16_384;
const [QUOTE, COMMA, CLOSING] = [0x22, 0x2c, 0x7d];

const utf8 = new TextEncoder();

/** How CSV is written. */
export interface CsvStyle {
  readonly hasHeader: boolean;
  readonly separator: string;
  readonly lineEnd: string;
  /** Around fields; absent: fields are written as they are. */
  readonly delimiter?: string;
  /** Every field that is not empty is delimited. */
  readonly isDelimited: boolean;
  readonly isEmptyDelimited: boolean;
  readonly encoding: BufferEncoding;
}

/** Of the package `csv-stringify`, which is loaded with the first use: it writes rows that are no plain lines. */
type Stringify = (rows: string[][], options: Readonly<Record<string, unknown>>) => string;

/** How rows are written. */
interface CsvOptions {
  readonly style: CsvStyle;
  readonly stringify: Stringify;
  /** Of what is not copied. */
  readonly budget: OutputBudget;
}

/**
 * Writes rows into a file of CSV. The first one gives the columns. A line that holds plain values of just these columns, as the
 * queries of databases write them, is copied cell by cell, without values in between.
 */
export class CsvRows implements RowReceiver {
  readonly #file: ByteFile;
  readonly #style: CsvStyle;
  readonly #budget: OutputBudget;
  readonly #stringify: Stringify;
  readonly #scanner: FieldScanner | undefined;
  readonly #lineEnd: Uint8Array;
  readonly #separator: number;
  /** `{"name":` of the first column, `"name":` of the others; absent: lines are not copied. */
  #names: readonly Uint8Array[] | undefined;
  #columns: readonly string[] | undefined;
  #batch: string[][] = [];
  #batchFields = 0;
  /** Rows so far. */
  count = 0;

  constructor(file: ByteFile, { style, stringify, budget }: CsvOptions) {
    this.#file = file;
    this.#style = style;
    this.#budget = budget;
    this.#stringify = stringify;
    this.#lineEnd = utf8.encode(style.lineEnd);
    this.#separator = style.separator.charCodeAt(0);
    if (isCopied(style)) this.#scanner = new FieldScanner(this.#separator);
  }

  /** Takes a row. @throws Error the budget is spent */
  row(row: JsonValue): void {
    this.count++;
    if (this.#columns === undefined && isJsonObject(row)) this.#begin(Object.keys(row));
    const fields = fieldsOf(row, this.#columns ?? []);
    this.#batchFields += fields.length;
    if (this.#batch.push(fields) >= ROWS_AT_ONCE || this.#batchFields >= FIELDS_AT_ONCE) this.end();
  }

  /** Writes the rows that wait. @throws Error the budget is spent */
  end(): void {
    if (this.#batch.length === 0) return;
    const { separator, lineEnd, delimiter, isDelimited, isEmptyDelimited, encoding } = this.#style;
    const text = this.#stringify(this.#batch, {
      delimiter: separator,
      record_delimiter: lineEnd,
      quote: delimiter ?? false,
      quoted: isDelimited,
      quoted_empty: isEmptyDelimited,
    });
    this.#batch = [];
    this.#batchFields = 0;
    spend(this.#budget, text);
    if (encoding === "utf8") this.#file.text(text);
    else this.#file.bytes(Buffer.from(text, encoding));
  }

  /** @inheritdoc */
  line(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#names === undefined || !this.#scan(bytes, start, end)) return false;
    this.end();
    this.#copyFields(bytes, end - start);
    this.count++;
    return true;
  }

  #begin(columns: readonly string[]): void {
    if (columns.length > MAX_COLUMNS) {
      throw new Error(`Cannot write the rows: the first one has more than ${MAX_COLUMNS} columns`);
    }
    this.#columns = columns;
    if (this.#style.hasHeader) this.#batch.push([...columns]);
    if (this.#scanner === undefined || columns.length === 0) return;
    this.#names = columns.map((name, index) =>
      utf8.encode(`${index === 0 ? "{" : ""}${JSON.stringify(name)}:`)
    );
  }

  /** Finds the cells of a line; false: it is not plain. */
  #scan(bytes: Uint8Array, start: number, end: number): boolean {
    const names = this.#names ?? [], scanner = this.#scanner;
    if (!scanner) return false;
    scanner.begin(bytes, start, end);
    for (let index = 0; index < names.length; index++) {
      const isLast = index === names.length - 1;
      if (!scanner.name(names[index]) || !scanner.value() || !scanner.sign(isLast ? CLOSING : COMMA)) {
        return false;
      }
    }
    return scanner.isAtEnd;
  }

  #copyFields(bytes: Uint8Array, length: number): void {
    const file = this.#file, { starts, ends, needsQuotes, count } = this.#scanner as FieldScanner;
    const { isDelimited, isEmptyDelimited } = this.#style;
    // A quote is at least two bytes of the line, and a cell has its name beside it.
    file.reserve(2 * length + this.#lineEnd.length);
    for (let index = 0; index < count; index++) {
      const from = starts[index] ?? 0, to = ends[index] ?? 0;
      if (index > 0) file.buffer[file.used++] = this.#separator;
      const isQuoted = from === to ? isEmptyDelimited : isDelimited || needsQuotes[index] === 1;
      if (isQuoted) file.buffer[file.used++] = QUOTE;
      file.copy(bytes, from, to);
      if (isQuoted) file.buffer[file.used++] = QUOTE;
    }
    file.copy(this.#lineEnd, 0, this.#lineEnd.length);
  }
}

/** Of other styles a plain value could need delimiters, or other ones. */
function isCopied({ encoding, separator, lineEnd, delimiter }: CsvStyle): boolean {
  return encoding === "utf8" && /^(?![\w+:."-])[\0-\x7f]$/.test(separator) && delimiter === '"' &&
    /^[\r\n]+$/.test(lineEnd);
}

function fieldsOf(row: JsonValue, columns: readonly string[]): string[] {
  if (Array.isArray(row)) return row.map(fieldText);
  if (isJsonObject(row)) return columns.map((name) => fieldText(ownProperty(row, name) ?? null));
  return [fieldText(row)];
}

function fieldText(value: JsonValue): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" && !(value instanceof Double) ? stringifyJson(value) : String(value);
}
