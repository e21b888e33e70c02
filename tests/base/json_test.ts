/** Number kinds across JSON, and names that must not meet a prototype. */
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  Double,
  formatDouble,
  jsonEquals,
  MAX_INTEGER_DIGITS,
  numberOrText,
  ownProperty,
  parseJson,
  setOwnProperty,
  stringifyJson,
  tryParseJson,
} from "../../src/base/json.ts";

const ROUND_TRIPS = [
  "1",
  "-0.0",
  "2.0",
  "1.5",
  "12345678901234567890",
  '{"a":2.0,"b":[1,1.0]}',
  '{"__proto__":1.0}',
  '{"__proto__":1}',
  '"1.0"',
  "9007199254740993",
  "-12345678901234567890",
  '["2026-11-21T15:48:46.039Z","HTTP/1.1",1]',
  '["2026-11-21T15:48:46.039Z",1.0]',
  '{"a":", 1.5","b":2}',
];
for (const text of ROUND_TRIPS) {
  Deno.test(`parseJson() stringifyJson() keep ${text}`, () => {
    assertEquals(stringifyJson(parseJson(text)), text);
  });
}

const DOUBLES: readonly (readonly [number, string])[] = [
  [2, "2.0"],
  [0.001, "0.001"],
  [0.0001, "1.0E-4"],
  [1e7, "1.0E7"],
  [1e10, "1.0E10"],
  [1.5e300, "1.5E300"],
  [-0, "-0.0"],
  [9999999, "9999999.0"],
  [0.1 + 0.2, "0.30000000000000004"],
];
for (const [value, text] of DOUBLES) {
  Deno.test(`formatDouble() prints ${value} as ${text}`, () => assertEquals(formatDouble(value), text));
}

Deno.test("parseJson() refuses a number that is too large for a double", () => {
  assertThrows(() => parseJson("[1e999]"), SyntaxError, "1e999 is too large");
});

Deno.test("parseJson() reads every integer that is written, up to 1,234 digits", () => {
  for (const digits of [309, 400, MAX_INTEGER_DIGITS]) {
    const text = `[-${"9".repeat(digits)}]`;
    assertEquals(stringifyJson(parseJson(text)), text);
  }
  const text = "9".repeat(MAX_INTEGER_DIGITS + 2);
  assertThrows(() => parseJson(text), SyntaxError, "is too large");
});

Deno.test("setOwnProperty() and ownProperty() ignore prototypes", () => {
  const object = {};
  setOwnProperty(object, "__proto__", 1);
  assertEquals(Object.keys(object), ["__proto__"]);
  assertEquals(ownProperty(object, "__proto__"), 1);
  for (const name of ["constructor", "toString", "hasOwnProperty"]) {
    assertEquals(ownProperty({}, name), undefined);
  }
});

Deno.test("jsonEquals() compares numbers by value and everything else by kind", () => {
  assertEquals(jsonEquals(1, new Double(1)), true);
  assertEquals(jsonEquals(10n ** 20n, new Double(1e20)), true);
  assertEquals(jsonEquals(1, "1"), false);
  assertEquals(jsonEquals({ a: [1] }, { a: [new Double(1)] }), true);
  assertEquals(jsonEquals({ a: null }, {}), false);
});

Deno.test("parseJson() equals JSON.parse except for number kinds", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const text = JSON.stringify(value);
    assertEquals(JSON.parse(stringifyJson(parseJson(text))), JSON.parse(text));
  }));
});

const NUMBER_TEXTS = [
  ["0.0", "0.0"],
  ["-1.5", "-1.5"],
  ["1e2", "100.0"],
  ["1.0E+2", "100.0"],
  ["12345678901234567890", "12345678901234567890"],
  ["-9007199254740993", "-9007199254740993"],
] as const;
const SPACES = ["", " ", "\n", "\t\r "];
for (const [number, printed] of NUMBER_TEXTS) {
  Deno.test(`parseJson() keeps the kind of ${number} in any position`, () => {
    for (const before of SPACES) {
      for (const after of SPACES) {
        const spaced = `${before}${number}${after}`;
        for (const text of [spaced, `[${spaced}]`, `[1,${spaced},1]`, `{"T1:2.5Z":${spaced}}`]) {
          const expected = text.replaceAll(/\s/g, "").replace(number, printed);
          assertEquals(stringifyJson(parseJson(text)), expected);
        }
      }
    }
  });
}

Deno.test("tryParseJson() gives undefined for a text that is not JSON", () => {
  assertEquals(["null", "[2.0]", "", "[1,]", "1e999", "x"].map((text) => tryParseJson(text)), [
    ...[null, [new Double(2)]],
    ...[undefined, undefined, undefined, undefined],
  ]);
});

Deno.test("numberOrText() gives the text itself of an integer with more digits than JSON may have", () => {
  const longest = `-${"9".repeat(MAX_INTEGER_DIGITS)}`;
  const texts = ["7", "-9007199254740993", "1.50", `${"1".repeat(2_000)}.5e-1999`, longest, `${longest}9`];
  assertEquals(texts.map(numberOrText), [
    7,
    -9007199254740993n,
    new Double(1.5),
    new Double(1.1111111111111112),
    BigInt(longest),
    `${longest}9`,
  ]);
});
