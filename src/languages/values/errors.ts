/** The error of the expression language: what failed, in which expression, at which line. */
import { MAX_QUOTED_LENGTH, MAX_REASON_LENGTH } from "./limits.ts";

/** Why an expression failed; a code is never renamed. */
export type ExpressionErrorCode =
  | "syntax"
  | "undefined"
  | "type"
  | "arithmetic"
  | "argument"
  | "limit"
  /** A host function or a variable failed. */
  | "host"
  | "unknown_filter"
  | "unknown_function"
  | "unknown_test";

/** Position of an error; `spans` are start and end offsets of the prints and tags of `source`, in order. */
interface Place {
  readonly source: string;
  readonly offset: number;
  readonly spans?: readonly number[];
}

/** A template cannot be compiled or evaluated. Line and column count from 1, and are 0 without position. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
  readonly code: ExpressionErrorCode;
  /** The message without expression and line. */
  readonly reason: string;
  readonly line: number;
  readonly column: number;
  /** Offset in the template, -1 without position. */
  readonly offset: number;

  constructor(code: ExpressionErrorCode, reason: string, place?: Place) {
    const shortReason = shorten(reason, MAX_REASON_LENGTH);
    super(place ? `${shortReason} ${placeText(code, place)}` : shortReason);
    this.code = code;
    this.reason = shortReason;
    this.offset = place ? place.offset : -1;
    this.line = place ? lineAt(place.source, place.offset) : 0;
    this.column = place ? place.offset - place.source.lastIndexOf("\n", place.offset - 1) : 0;
  }

  /** This error with a position, unless it has one. */
  at(place: Place): ExpressionError {
    return this.offset >= 0 ? this : new ExpressionError(this.code, this.reason, place);
  }
}

/** Ends an evaluation; a caller adds the position. @throws ExpressionError always */
export function fail(code: ExpressionErrorCode, reason: string): never {
  throw new ExpressionError(code, reason);
}

/** Ends an evaluation on a missing name. @throws ExpressionError `undefined` always */
export function failUndefined(path: string): never {
  throw new ExpressionError("undefined", `Unable to find \`${path}\``);
}

/** True for the errors that `??`, `???`, `is defined` and `default` catch. */
export function isUndefinedError(error: unknown): boolean {
  return error instanceof ExpressionError && error.code === "undefined";
}

function placeText(code: ExpressionErrorCode, place: Place): string {
  const word = code === "undefined" ? "used in" : "in";
  return `${word} the expression \`${statementAt(place)}\` at line ${lineAt(place.source, place.offset)}`;
}

function lineAt(source: string, offset: number): number {
  let line = 1;
  for (let at = source.indexOf("\n"); at >= 0 && at < offset; at = source.indexOf("\n", at + 1)) line++;
  return line;
}

/** The print or tag at an offset; found by delimiters when the source could not be parsed. */
function statementAt({ source, offset, spans = [] }: Place): string {
  for (let i = 0; i + 1 < spans.length; i += 2) {
    const start = spans[i] as number, end = spans[i + 1] as number;
    if (start <= offset && offset < end) return shorten(source.slice(start, end));
  }
  const start = Math.max(source.lastIndexOf("{{", offset), source.lastIndexOf("{%", offset), 0);
  const ends = ["}}", "%}"].map((close) => source.indexOf(close, start)).filter((at) => at >= 0);
  return shorten(source.slice(start, ends.length ? Math.min(...ends) + 2 : source.length));
}

function shorten(text: string, maxLength = MAX_QUOTED_LENGTH): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
