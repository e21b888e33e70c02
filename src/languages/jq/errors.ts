/** Errors that `try` catches, and `break`. The program converts both before they leave it. */
import type { JsonValue } from "../../base/json.ts";

/** Moves of throwing and catching, which takes some 2 µs. */
export const MOVES_PER_ERROR = 16;

/** An error with the value that `catch` receives. Not an Error, for speed: a program may raise a million of them. */
export class JqError {
  readonly value: JsonValue;

  constructor(value: JsonValue) {
    this.value = value;
  }
}

/** Leaves a `label`; each run of the label has its own token. */
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
