import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { Double, type JsonValue, stringifyJson } from "../../../src/base/json.ts";
import { DomainError } from "../../../src/model/errors.ts";
import {
  checkKvKey,
  expiryOf,
  type KvType,
  kvValueOf,
  parseKvValue,
} from "../../../src/model/namespaces/kv_pair.ts";

/** Text, type, and the value as JSON. */
const VALUES: readonly (readonly [string, KvType, string])[] = [
  ['"text"', "STRING", '"text"'],
  ['""', "STRING", '""'],
  ["'text'", "STRING", '"text"'],
  ["null", "STRING", "null"],
  ["null.string", "STRING", "null"],
  ["value-inherited", "STRING", '"value-inherited"'],
  ["to-delete", "STRING", '"to-delete"'],
  ["1.2.3", "STRING", '"1.2.3"'],
  ["007", "STRING", '"007"'],
  ["http://host/path?q=1", "STRING", '"http://host/path?q=1"'],
  ["nan", "STRING", '"nan"'],
  ["\"{{ secret('X') }}\"", "STRING", "\"{{ secret('X') }}\""],
  ["2", "NUMBER", "2"],
  ["-2", "NUMBER", "-2"],
  ["2.0", "NUMBER", "2.0"],
  ["2.50", "NUMBER", "2.5"],
  ["1e3", "NUMBER", "1000.0"],
  ["1d3", "NUMBER", "1000.0"],
  ["1_000", "NUMBER", "1000"],
  ["0xFF", "NUMBER", "255"],
  ["-0b101", "NUMBER", "-5"],
  ["12345678901234567890", "NUMBER", "12345678901234567890"],
  ["true", "BOOLEAN", "true"],
  ["false", "BOOLEAN", "false"],
  ['"true"', "STRING", '"true"'],
  ["2025-10-13", "DATE", '"2025-10-13"'],
  ["2025-10-13T", "DATE", '"2025-10-13"'],
  ['"2025-10-13"', "STRING", '"2025-10-13"'],
  ["2025-02-30", "STRING", '"2025-02-30"'],
  ["2024-02-29", "DATE", '"2024-02-29"'],
  ["2025-10-14T18:02:08Z", "DATETIME", '"2025-10-14T18:02:08Z"'],
  ["2025-10-14T18:02:08.000Z", "DATETIME", '"2025-10-14T18:02:08Z"'],
  ["2025-10-14T18:02:08.12Z", "DATETIME", '"2025-10-14T18:02:08.120Z"'],
  ["2025-10-14T18:02:08.123456Z", "DATETIME", '"2025-10-14T18:02:08.123456Z"'],
  ["2025-10-14T20:02:08+02:00", "DATETIME", '"2025-10-14T18:02:08Z"'],
  ["2025-12-31T23:30-01:00", "DATETIME", '"2026-01-01T00:30:00Z"'],
  ["2025-10-14T25:00:00Z", "STRING", '"2025-10-14T25:00:00Z"'],
  ["2025-10-14T18:02:08", "STRING", '"2025-10-14T18:02:08"'],
  ["PT15M", "DURATION", '"PT15M"'],
  ['"PT15M"', "DURATION", '"PT15M"'],
  ["P1DT2H", "DURATION", '"P1DT2H"'],
  ['" PT15M"', "STRING", '" PT15M"'],
  ['"P"', "STRING", '"P"'],
  ["[]", "JSON", "[]"],
  ["{}", "JSON", "{}"],
  ['{"a":[1,2.0,null,true],"b":{"c":"d"}}', "JSON", '{"a":[1,2.0,null,true],"b":{"c":"d"}}'],
  ["{a: b, 'c': 1,}", "JSON", '{"a":"b","c":1}'],
  ["[1, /* one */ 2, // two\n 3,]", "JSON", "[1,2,3]"],
  [
    "{at: 2025-10-14T20:02:08+02:00, on: 2025-10-13}",
    "JSON",
    '{"at":"2025-10-14T18:02:08Z","on":"2025-10-13"}',
  ],
  ['{"__proto__":{"x":1},"constructor":2}', "JSON", '{"__proto__":{"x":1},"constructor":2}'],
  ['"\\u00e9\\n\\"\\\\\\/\\x41\\U0001F600"', "STRING", '"é\\n\\"\\\\/A😀"'],
  ["  42\n", "NUMBER", "42"],
];

for (const [text, type, value] of VALUES) {
  for (const isPlainText of [true, false]) {
    Deno.test(`parseKvValue() of ${JSON.stringify(text)} as ${isPlainText ? "text" : "JSON"}`, () => {
      const parsed = parseKvValue(text, { isPlainText });
      assertEquals([parsed.type, stringifyJson(parsed.value)], [type, value]);
    });
  }
}

const REFUSED: readonly (readonly [string, string])[] = [
  ["", "no value"],
  ["  ", "no value"],
  ['{"a":', "a value"],
  ['{"a" 1}', '":"'],
  ['{"a":1', '"}"'],
  ["[1 2]", '"]"'],
  ['"open', "closing"],
  ['"a\nb"', "closing"],
  ['"\\q"', "escape"],
  ['"\\u12"', "escape"],
  ['"\\U00110000"', "escape"],
  ['"a" "b"', "the end of the text"],
  ["{bad json}", '":"'],
  ["1e999", "too large"],
  ["9".repeat(2_000), "1000 characters"],
  ["[".repeat(500), "deeper"],
];

for (const [text, reason] of REFUSED) {
  Deno.test(`parseKvValue() refuses ${JSON.stringify(text.slice(0, 20))}`, () => {
    for (const isPlainText of [true, false]) {
      const error = assertThrows(() => parseKvValue(text, { isPlainText }), DomainError, reason);
      assertEquals([error.code, error.message.startsWith("Invalid json: ")], ["invalid_json", true]);
    }
  });
}

Deno.test("parseKvValue() of plain text reads prose as a string", () => {
  assertEquals(parseKvValue("hello big world", { isPlainText: true }), {
    type: "STRING",
    value: "hello big world",
  });
  assertThrows(() => parseKvValue("hello big world", { isPlainText: false }), DomainError, "double quotes");
});

Deno.test("parseKvValue() reads every JSON value as JSON.parse does", () => {
  fc.assert(fc.property(fc.json(), (text) => {
    assertEquals(
      JSON.parse(stringifyJson(parseKvValue(text, { isPlainText: false }).value)),
      JSON.parse(text),
    );
  }));
});

Deno.test("parseKvValue() of any text gives a value or a DomainError", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    try {
      parseKvValue(text, { isPlainText: true });
    } catch (error) {
      assertEquals(error instanceof DomainError, true, String(error));
    }
  }));
});

Deno.test("kvValueOf() derives the type of a value", () => {
  const rows: readonly (readonly [JsonValue, KvType])[] = [
    ["a", "STRING"],
    ["PT5M", "DURATION"],
    [null, "STRING"],
    [1, "NUMBER"],
    [12345678901234567890n, "NUMBER"],
    [new Double(2), "NUMBER"],
    [true, "BOOLEAN"],
    [[1], "JSON"],
    [{ a: 1 }, "JSON"],
  ];
  for (const [value, type] of rows) assertEquals(kvValueOf(value), { type, value });
});

Deno.test("expiryOf() accepts durations that are not negative", () => {
  assertEquals(expiryOf(undefined, 1_000), undefined);
  assertEquals(expiryOf("", 1_000), undefined);
  assertEquals(expiryOf("PT1H", 1_000), 3_601_000);
  assertEquals(expiryOf("PT0S", 1_000), 1_000);
  for (const ttl of ["-PT1H", "PT-1H", "1h", "P1Y", "x", `P${"9".repeat(30)}D`]) {
    const error = assertThrows(() => expiryOf(ttl, 1_000), DomainError, "ttl");
    assertEquals(error.code, "invalid_argument");
  }
});

Deno.test("checkKvKey() enforces the pattern", () => {
  for (const key of ["a", "A1", "9", "a.b-c_d", "x".repeat(256)]) assertEquals(checkKvKey(key), key);
  for (const key of ["", "-a", ".a", "_a", "a/b", "a b", "ä", "a\n", "x".repeat(257)]) {
    assertEquals(assertThrows(() => checkKvKey(key), DomainError).code, "invalid_argument");
  }
});
