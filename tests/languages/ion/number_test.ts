import { assertEquals } from "@std/assert";
import { ION_NUMBER, readIonNumber } from "../../../src/languages/ion/number.ts";
import { stringifyJson } from "../../../src/base/json.ts";

/** What a text begins with, and its value as JSON. */
const NUMBERS: readonly (readonly [string, string, string])[] = [
  ["0", "0", "0"],
  ["-1_000]", "-1_000", "-1000"],
  ["007", "0", "0"],
  ["1.50,", "1.50", "1.5"],
  ["1.", "1.", "1.0"],
  ["1d3", "1d3", "1000.0"],
  ["1E-2", "1E-2", "0.01"],
  ["0xFf_0", "0xFf_0", "4080"],
  ["-0b101", "-0b101", "-5"],
  ["0xg", "0", "0"],
  ["0xDEADBEEFDEADBEEFD", "0xDEADBEEFDEADBEEFD", "256731055757333360381"],
  ["12345678901234567890", "12345678901234567890", "12345678901234567890"],
];
for (const [text, found, value] of NUMBERS) {
  Deno.test(`readIonNumber() of what ION_NUMBER finds in ${text}`, () => {
    ION_NUMBER.lastIndex = 0;
    const number = ION_NUMBER.exec(text)?.[0] ?? "";
    assertEquals([number, stringifyJson(readIonNumber(number))], [found, value]);
  });
}
