/** Inclusive bounds of inputs whose values have an order. */
import { type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { type Converted, type DeclarationMistake, expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

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
/** Bounds of durations; existing clients expect the capital letter. */
export const DURATION_BOUNDS: BoundNames = {
  lower: "min",
  upper: "max",
  lowerText: "It must be more than",
  upperText: "It must be less than",
};
/** Bounds of dates and times. */
export const TIME_BOUNDS: BoundNames = {
  lower: "after",
  upper: "before",
  lowerText: "it must be after",
  upperText: "it must be before",
};

/** A value that can be compared: a number, or a text that sorts in time order. */
type Comparable = number | bigint | string;

/** Reads a value of a type for comparison; `undefined` when it is not of the type. */
export type ReadComparable = (value: JsonValue) => Comparable | undefined;

/** A type with bounds; `normalize` turns what was read into the converted value. */
interface BoundedForm<T extends Comparable> {
  readonly names: BoundNames;
  readonly properties: InputType["properties"];
  readonly hint: string;
  read(value: JsonValue): T | undefined;
  normalize(read: T): JsonValue;
}

/** An input type with `min` and `max`, both inclusive. */
export function boundedInput<T extends Comparable>(type: string, form: BoundedForm<T>): InputType {
  const { names, properties, hint, read } = form;
  return {
    names: [type],
    properties,
    convert(value, declared) {
      const found = read(value);
      if (found === undefined) return expected(type, shownValue(value), hint);
      return withinBounds(form.normalize(found), declared, { names, read });
    },
    checkDeclaration: (declared) => boundMistakes(declared, { names, read, type }),
  };
}

/** The converted value, or the reason when it is out of the bounds of the input. */
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

/** Declared bounds that are no values of the type. */
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
