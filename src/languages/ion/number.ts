/** Numbers as Ion text writes them: with `_` between digits, with other bases and with `d` for an exponent. */
import { type Double, numberOfSource } from "../../base/json.ts";

/** A number at the place where the pattern stands; in the middle of a word, too. */
export const ION_NUMBER =
  /-?(?:0[xX][\da-fA-F](?:_?[\da-fA-F])*|0[bB][01](?:_?[01])*|(?:0|[1-9](?:_?\d)*)(?:\.(?:\d(?:_?\d)*)?)?(?:[eEdD][+-]?\d+)?)/y;

/** Reading and printing an integer takes time quadratic in its digits: nobody should read a longer one. */
export const MAX_ION_NUMBER_LENGTH = 1_000;

const RADIX = /^(-?)(0[xXbB].+)$/;

/** The value of a text that is all {@link ION_NUMBER}; infinite for a decimal that is too large. */
export function readIonNumber(text: string): number | bigint | Double {
  const digits = text.replaceAll("_", "");
  const [, sign, magnitude] = RADIX.exec(digits) ?? [];
  if (magnitude === undefined) return numberOfSource(digits.replace(/d/i, "e"));
  const value = BigInt(magnitude);
  return numberOfSource(String(sign === "-" ? -value : value));
}
