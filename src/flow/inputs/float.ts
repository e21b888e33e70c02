/** FLOAT: a decimal number. */
import { Double, type JsonValue } from "../../base/json.ts";
import { boundMistakes, NUMBER_BOUNDS, withinBounds } from "./bounds.ts";
import { expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

const MAX_CHARS = 400;
const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** `min` and `max` are inclusive. */
export const floatInput: InputType = {
  names: ["FLOAT"],
  properties: {
    min: { type: "number", description: "Least value." },
    max: { type: "number", description: "Greatest value." },
  },
  convert(value, properties) {
    const number = readNumber(value);
    if (number === undefined) return expected("FLOAT", shownValue(value), "it is not a decimal number");
    return withinBounds(new Double(number), properties, { names: NUMBER_BOUNDS, read: readNumber });
  },
  checkDeclaration: (properties) =>
    boundMistakes(properties, { names: NUMBER_BOUNDS, read: readNumber, type: "FLOAT" }),
};

function readNumber(value: JsonValue): number | undefined {
  if (value instanceof Double) return value.value;
  if (typeof value === "number" || typeof value === "bigint") return Number(value);
  if (typeof value !== "string" || value.length > MAX_CHARS || !DECIMAL.test(value.trim())) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
