/** Number kinds across JSON, and names that must not meet a prototype. */
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  Double,
  formatDouble,
  jsonEquals,
  ownProperty,
  parseJson,
  setOwnProperty,
  stringifyJson,
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

Deno.test("parseJson() refuses a number beyond all doubles", () => {
  assertThrows(() => parseJson("[1e999]"), SyntaxError, "1e999 is too large");
});

Deno.test("setOwnProperty() and ownProperty() never meet a prototype", () => {
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

Deno.test("parseJson() gives what JSON.parse gives, number kinds aside", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const text = JSON.stringify(value);
    assertEquals(JSON.parse(stringifyJson(parseJson(text))), JSON.parse(text));
  }));
});
