/** INT: a whole number of 64 bits. */
import type { JsonValue } from "../../base/json.ts";
import { boundMistakes, NUMBER_BOUNDS, withinBounds } from "./bounds.ts";
import { expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

const DIGITS = /^[-+]?\d{1,19}$/;
const LIMIT = 2n ** 63n;

/** `min` and `max` are inclusive. */
export const intInput: InputType = {
  names: ["INT"],
  properties: {
    min: { type: "integer", description: "Least value." },
    max: { type: "integer", description: "Greatest value." },
  },
  convert(value, properties) {
    const number = readInteger(value);
    if (number === undefined) {
      return expected("INT", shownValue(value), "it is not a whole number of 64 bits");
    }
    return withinBounds(number, properties, { names: NUMBER_BOUNDS, read: readInteger });
  },
  checkDeclaration: (properties) =>
    boundMistakes(properties, { names: NUMBER_BOUNDS, read: readInteger, type: "INT" }),
};

function readInteger(value: JsonValue): number | bigint | undefined {
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value.trim() : typeof value === "bigint" ? String(value) : "";
  if (!DIGITS.test(text)) return undefined;
  const wide = BigInt(text.replace(/^\+/, ""));
  if (wide >= LIMIT || wide < -LIMIT) return undefined;
  const number = Number(wide);
  return Number.isSafeInteger(number) ? (Object.is(number, -0) ? 0 : number) : wide;
}
