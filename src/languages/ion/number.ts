/** Numbers of Ion text: `_` between digits, hexadecimal and binary digits, `d` for an exponent. */
import { Double, numberOfSource } from "../../base/json.ts";
import { IonError } from "./error.ts";

/** A number at the position of the scanner; more characters of a word may follow it. */
export const ION_NUMBER =
  /-?(?:0[xX][\da-fA-F](?:_?[\da-fA-F])*|0[bB][01](?:_?[01])*|(?:0|[1-9](?:_?\d)*)(?:\.(?:\d(?:_?\d)*)?)?(?:[eEdD][+-]?\d+)?)/y;

/** Characters of a number, and digits of an integer: reading and printing one takes quadratic time. */
const MAX_LENGTH = 1_000;

const RADIX = /^(-?)(0[xXbB].+)$/;

/** The value of a text that {@link ION_NUMBER} matches completely. @throws IonError `limit`, `syntax` for a decimal that is too large */
export function readIonNumber(text: string): number | bigint | Double {
  if (text.length > MAX_LENGTH) refuseLength();
  const value = numberOf(text.replaceAll("_", ""));
  if (value instanceof Double && !Number.isFinite(value.value)) {
    throw new IonError("syntax", `the number "${text.slice(0, 40)}" is too large`);
  }
  if (typeof value === "bigint" && String(value).length > MAX_LENGTH) refuseLength();
  return value;
}

function numberOf(digits: string): number | bigint | Double {
  const [, sign, magnitude] = RADIX.exec(digits) ?? [];
  if (magnitude === undefined) return numberOfSource(digits.replace(/d/i, "e"));
  const value = BigInt(magnitude);
  return numberOfSource(String(sign === "-" ? -value : value));
}

function refuseLength(): never {
  throw new IonError("limit", `a number has more than ${MAX_LENGTH} characters`);
}
