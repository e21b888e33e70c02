/**
 * Reads the text of a value as clients write it: Ion text, of which JSON is a part, without its annotations, s-expressions
 * and binary values. Numbers keep their kind. Grammar: https://amazon-ion.github.io/ion-docs/docs/spec.html
 */
import { ION_NUMBER, MAX_ION_NUMBER_LENGTH, readIonNumber } from "./number.ts";
import { IonScanner } from "./scanner.ts";
import { Double, type JsonValue } from "../../base/json.ts";
import { normalizeTimestamp, parseDay } from "../../base/timestamp_text.ts";

/** What a text stands for; a date and a timestamp are texts of their own kind. */
export type IonKind = "null" | "boolean" | "number" | "string" | "date" | "timestamp" | "container";

/** A value and what it was written as. */
export interface IonValue {
  readonly kind: IonKind;
  readonly value: JsonValue;
}

/** A text that stands for no value; the message says what was expected, and where. */
export class IonTextError extends Error {
  override readonly name = "IonTextError";
}

/** Lists and objects within each other; deeper ones would exhaust the stack of whoever walks them. */
const MAX_DEPTH = 100;

const NUMBER = new RegExp(`^${ION_NUMBER.source}$`);
const NULL = /^null(?:\.[a-z]+)?$/;
const BARE = /[^\s,:[\]{}"'()]+/y;
/** Dates and times have colons of their own. */
const TIMESTAMP = /\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})/y;

/**
 * Reads one value. What begins with neither quote nor bracket is one word: a number, a date, … or else a string; it may
 * hold spaces when `isProseAllowed`.
 * @throws IonTextError
 */
export function parseIon(text: string, options: { isProseAllowed: boolean }): IonValue {
  const trimmed = text.trim();
  if (trimmed === "") throw new IonTextError("Invalid json: there is no value");
  if (/^["'[{]/.test(trimmed)) return readDocument(text);
  const isWord = !/[\s"'{}[\]]/.test(trimmed);
  if (isWord || options.isProseAllowed) return readBare(trimmed);
  throw new IonTextError(`Invalid json: a text with spaces or quotes must be written in double quotes`);
}

/** What a word without quotes stands for. @throws IonTextError */
function readBare(word: string): IonValue {
  if (NULL.test(word)) return { kind: "null", value: null };
  if (word === "true" || word === "false") return { kind: "boolean", value: word === "true" };
  if (NUMBER.test(word)) return { kind: "number", value: readNumber(word) };
  const day = parseDay(word);
  if (day !== undefined) return { kind: "date", value: day };
  const timestamp = normalizeTimestamp(word);
  if (timestamp !== undefined) return { kind: "timestamp", value: timestamp };
  return { kind: "string", value: word };
}

function readNumber(word: string): JsonValue {
  if (word.length > MAX_ION_NUMBER_LENGTH) {
    throw new IonTextError(`Invalid json: a number has more than ${MAX_ION_NUMBER_LENGTH} characters`);
  }
  const value = readIonNumber(word);
  if (value instanceof Double && !Number.isFinite(value.value)) {
    throw new IonTextError(`Invalid json: the number "${word.slice(0, 40)}" is too large`);
  }
  return value;
}

/** The value, which must be all of the text. */
function readDocument(text: string): IonValue {
  const scanner = new IonScanner(text, { isSpaceQuotable: false, refuse });
  const value = readValue(scanner, 0);
  scanner.skipSpace();
  return scanner.isAtEnd ? value : scanner.refuse("the end of the text");
}

function readValue(scanner: IonScanner, depth: number): IonValue {
  scanner.skipSpace();
  const text = scanner.readQuoted();
  if (text !== undefined) return { kind: "string", value: text };
  if (scanner.startsWith("[") || scanner.startsWith("{")) {
    return { kind: "container", value: readContainer(scanner, depth) };
  }
  return readBare(readWord(scanner, TIMESTAMP) ?? readWord(scanner, BARE) ?? scanner.refuse("a value"));
}

function readContainer(scanner: IonScanner, depth: number): JsonValue {
  if (depth >= MAX_DEPTH) {
    throw new IonTextError(`Invalid json: nested deeper than ${MAX_DEPTH} levels`);
  }
  const readItem = () => readValue(scanner, depth + 1).value;
  if (scanner.accept("[")) return scanner.readList(readItem);
  scanner.accept("{");
  return scanner.readStruct(() => readName(scanner), readItem);
}

function readName(scanner: IonScanner): string {
  return scanner.readQuoted() ?? readWord(scanner, BARE) ?? scanner.refuse("a member name");
}

function readWord(scanner: IonScanner, pattern: RegExp): string | undefined {
  return scanner.match(pattern)?.[0];
}

function refuse(expected: string, text: string, at: number): never {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = at - before.lastIndexOf("\n");
  const found = at < text.length ? JSON.stringify(text.slice(at, at + 20)) : "the end";
  throw new IonTextError(
    `Invalid json: expected ${expected}, but found ${found} at line ${line}, column ${column}`,
  );
}
