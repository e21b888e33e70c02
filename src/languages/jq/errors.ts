/** What ends a part of a jq program: an error that `try` catches, or a `break`. Neither leaves the program as such. */
import type { JsonValue } from "../../base/json.ts";

/** Throwing and catching takes some 2 µs, the time of as many moves. */
export const MOVES_PER_ERROR = 16;

/** An error with the value that `catch` receives. No subclass of Error: a program may raise a million of them. */
export class JqError {
  readonly value: JsonValue;

  constructor(value: JsonValue) {
    this.value = value;
  }
}

/** The way out to a `label`; each run of the label has its own token. */
export class BreakSignal {
  readonly token: object;

  constructor(token: object) {
    this.token = token;
  }
}

/** Raises an error of the program. @throws JqError always */
export function raise(value: JsonValue): never {
  throw new JqError(value);
}
