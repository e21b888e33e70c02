/** What the expressions of one record may take together: the thread does no other work while it evaluates them. */
import { isJsonObject, type JsonValue } from "../../base/json.ts";

/** Some 300 ms. */
const MAX_STEPS = 10_000_000;
/** Characters that take as long as a step. */
const CHARS_PER_STEP_LOG2 = 3;

/** Steps of the expressions of one record. */
export class RecordSteps {
  #left = MAX_STEPS;

  /** @throws Error too few remain */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    throw new Error(
      `The expressions of a record take more than ${MAX_STEPS} steps: shorten them, or the lists and texts that they read`,
    );
  }

  /** The value, of which each value within takes a step. @throws Error too few remain */
  read(value: JsonValue): JsonValue {
    if (typeof value === "string") this.spend(1 + (value.length >>> CHARS_PER_STEP_LOG2));
    else if (Array.isArray(value)) this.#readAll(value);
    else if (isJsonObject(value)) this.#readAll(Object.values(value));
    else this.spend(1);
    return value;
  }

  #readAll(values: readonly JsonValue[]): void {
    this.spend(1 + values.length);
    for (const value of values) {
      if (typeof value === "object" && value !== null || typeof value === "string") this.read(value);
    }
  }
}
