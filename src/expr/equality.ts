/** Equality of values by content: of two values, and of one with those of a set. */
import { Double, jsonEquals, type JsonValue } from "../base/json.ts";
import type { Context } from "./context.ts";
import { measureValue } from "../languages/values/mod.ts";
import { weightOf } from "./weight.ts";

/** Equality by value: numbers of either kind, lists and maps deeply; no conversion. @throws ExpressionError `limit` */
export function areEqual(a: JsonValue, b: JsonValue, context: Context): boolean {
  if (typeof a === "string") {
    if (typeof b === "string" && a.length === b.length && a.length > 255) context.spend(weightOf(a));
  } else if (typeof a === "object" && a !== null && typeof b === "object" && b !== null) {
    if (!(a instanceof Double)) context.spend(measureValue(a, context).size >>> 4);
    if (!(b instanceof Double)) context.spend(measureValue(b, context).size >>> 4);
  }
  return jsonEquals(a, b);
}

/** The same for two scalars only if they are equal. */
type Scalar = string | number | bigint | boolean | null;

/** Scalars of a set that count as one step, as a power of two. */
const SCALAR_SHIFT = 3;

/** Values in which {@link areEqual} ones are found: scalars at once, lists and maps one by one. */
export class ValueSet {
  readonly #context: Context;
  readonly #scalars = new Set<Scalar>();
  readonly #others: JsonValue[] = [];
  #uncharged = 0;

  constructor(context: Context, values: readonly JsonValue[] = []) {
    this.#context = context;
    for (const value of values) this.add(value);
  }

  /** Adds a value. @throws ExpressionError `limit` */
  add(value: JsonValue): void {
    const scalar = this.#scalarOf(value);
    if (scalar === undefined) this.#others.push(value);
    else this.#scalars.add(scalar);
  }

  /** Whether a value of the set is equal. @throws ExpressionError `limit` */
  has(value: JsonValue): boolean {
    const scalar = this.#scalarOf(value);
    if (scalar !== undefined) return this.#scalars.has(scalar);
    this.#context.spend(this.#others.length);
    return this.#others.some((other) => areEqual(other, value, this.#context));
  }

  /** Charges as it goes: the time limit holds even where many values share a place of the platform's set. */
  #scalarOf(value: JsonValue): Scalar | undefined {
    if (++this.#uncharged >>> SCALAR_SHIFT > 0) {
      this.#context.spend(1);
      this.#uncharged = 0;
    }
    if (typeof value === "string" && value.length > 255) this.#context.spend(weightOf(value));
    if (typeof value === "bigint") return plainNumberOf(value);
    if (typeof value !== "object" || value === null) return value;
    return value instanceof Double ? value.value : undefined;
  }
}

/** The integer as a number if a number has exactly its value, so that it equals the decimal of that value; else the integer. */
function plainNumberOf(value: bigint): number | bigint {
  const number = Number(value);
  return value < number || value > number ? value : number;
}
