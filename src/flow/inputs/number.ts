/** INT, a whole number of 64 bits, and FLOAT, a decimal number. */
import { Double, type JsonValue } from "../../base/json.ts";
import { boundedInput, NUMBER_BOUNDS } from "./bounds.ts";

const DIGITS = /^[-+]?\d{1,19}$/;
const LIMIT = 2n ** 63n;
const MAX_DECIMAL_CHARS = 400;
const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** INT. */
export const intInput = boundedInput("INT", {
  names: NUMBER_BOUNDS,
  properties: {
    min: { type: "integer", description: "Least value." },
    max: { type: "integer", description: "Greatest value." },
  },
  hint: "it is not a whole number of 64 bits",
  read: readInteger,
  normalize: (number) => number,
});

/** FLOAT. */
export const floatInput = boundedInput("FLOAT", {
  names: NUMBER_BOUNDS,
  properties: {
    min: { type: "number", description: "Least value." },
    max: { type: "number", description: "Greatest value." },
  },
  hint: "it is not a decimal number",
  read: readDecimal,
  normalize: (number) => new Double(number),
});

function readInteger(value: JsonValue): number | bigint | undefined {
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value.trim() : typeof value === "bigint" ? String(value) : "";
  if (!DIGITS.test(text)) return undefined;
  const wide = BigInt(text.replace(/^\+/, ""));
  if (wide >= LIMIT || wide < -LIMIT) return undefined;
  const number = Number(wide);
  return Number.isSafeInteger(number) ? (Object.is(number, -0) ? 0 : number) : wide;
}

function readDecimal(value: JsonValue): number | undefined {
  if (value instanceof Double) return value.value;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number.isFinite(Number(value)) ? Number(value) : undefined;
  if (typeof value !== "string" || value.length > MAX_DECIMAL_CHARS || !DECIMAL.test(value.trim())) {
    return undefined;
  }
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
