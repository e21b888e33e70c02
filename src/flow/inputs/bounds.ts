/** Inclusive bounds of inputs whose values have an order. */
import { type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { Converted, DeclarationMistake } from "./input_type.ts";

/** The names of the two bounds, and how a message speaks of them. */
interface BoundNames {
  readonly lower: string;
  readonly upper: string;
  readonly lowerText: string;
  readonly upperText: string;
}

/** Bounds of numbers. */
export const NUMBER_BOUNDS: BoundNames = {
  lower: "min",
  upper: "max",
  lowerText: "it must be more than",
  upperText: "it must be less than",
};
/** Bounds of durations; the capital letter is what existing clients look for. */
export const DURATION_BOUNDS: BoundNames = {
  lower: "min",
  upper: "max",
  lowerText: "It must be more than",
  upperText: "It must be less than",
};
/** Bounds of points in time. */
export const TIME_BOUNDS: BoundNames = {
  lower: "after",
  upper: "before",
  lowerText: "it must be after",
  upperText: "it must be before",
};

/** A value that can be compared: a number, or texts whose order is that of time. */
type Comparable = number | bigint | string;

/** How a type reads what it compares; `undefined` when the value is not of the type. */
export type ReadComparable = (value: JsonValue) => Comparable | undefined;

/** Gives `converted` back when it lies within the bounds of the input. */
export function withinBounds(
  converted: JsonValue,
  properties: JsonObject,
  { names, read, show = String }: {
    names: BoundNames;
    read: ReadComparable;
    show?: ((bound: JsonValue | undefined) => string) | undefined;
  },
): Converted {
  const value = read(converted);
  const lower = boundOf(properties, names.lower), upper = boundOf(properties, names.upper);
  const low = lower === undefined ? undefined : read(lower),
    high = upper === undefined ? undefined : read(upper);
  if (value !== undefined && low !== undefined && value < low) {
    return { reason: `${names.lowerText} \`${show(lower)}\`` };
  }
  if (value !== undefined && high !== undefined && value > high) {
    return { reason: `${names.upperText} \`${show(upper)}\`` };
  }
  return { value: converted };
}

/** Bounds that cannot be read as a value of the type. */
export function boundMistakes(
  properties: JsonObject,
  { names, read, type }: { names: BoundNames; read: ReadComparable; type: string },
): DeclarationMistake[] {
  return [names.lower, names.upper].flatMap((property) => {
    const bound = boundOf(properties, property);
    if (bound === undefined || read(bound) !== undefined) return [];
    return [{ property, message: `must be a valid ${type}` }];
  });
}

function boundOf(properties: JsonObject, name: string): JsonValue | undefined {
  return ownProperty(properties, name) ?? undefined;
}
