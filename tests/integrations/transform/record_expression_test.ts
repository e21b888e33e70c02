/** Expressions of record transformations. */
import { assertEquals, assertThrows } from "@std/assert";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../../src/base/json.ts";
import { compileRecordExpression } from "../../../src/integrations/transform/record_expression.ts";
import { RecordSteps } from "../../../src/integrations/transform/record_steps.ts";

const RECORD = parseJson(
  `{"user": {"id": "c1", "tags": ["a", "b"]}, "items": [{"price": 10.5}, {"price": 2}, {"price": null}],
  "n": 3, "text": "4", "yes": true, "no": "false", "none": null, "created": "2026-01-01 00:00:00"}`,
) as JsonObject;

const VALUES: readonly (readonly [expression: string, json: string])[] = [
  ["user.id", '"c1"'],
  ["items[1].price", "2"],
  ["items[9].price", "null"],
  ["items[].price", "[10.5,2,null]"],
  ["user.tags[]", '["a","b"]'],
  ["none.deep.path", "null"],
  ["missing", "null"],
  ["sum(items[].price)", "12.5"],
  ["count(items) + n * 2 - 1", "8"],
  ["(count(items) + n) * 2", "12"],
  ["0.1 + 0.2", "0.3"],
  ["7 / 2", "3.5"],
  ["n / 0", "null"],
  ["-n", "-3"],
  ["min(items[].price)", "2"],
  ["max(items[].price)", "10.5"],
  ["avg(items[].price)", "6.25"],
  ["toInt(text)", "4"],
  ["toDecimal(text)", "4"],
  ["toString(n)", '"3"'],
  ["toBoolean(no)", "false"],
  ["parseTimestamp(created)", '"2026-01-01T00:00:00Z"'],
  ["coalesce(none, user.id)", '"c1"'],
  ['concat(user.id, "-", n, none)', '"c1-3"'],
  ["n >= 3 && yes", "true"],
  ["n > 3 || !yes", "false"],
  ["none > 3", "null"],
  ["none && yes", "null"],
  ['user.id = "c1" && user.id != "c2"', "true"],
  ['user.id in ("c0", "c1")', "true"],
  ['"a\\"b\\n"', '"a\\"b\\n"'],
  ["$1", "null"],
];

for (const [expression, json] of VALUES) {
  Deno.test(`compileRecordExpression() gives the value of ${expression}`, () => {
    assertEquals(stringifyJson(compileRecordExpression(expression)(RECORD, new RecordSteps())), json);
  });
}

const REFUSED: readonly (readonly [expression: string, message: RegExp])[] = [
  ["a +", /it ends too early/],
  ["a b", /unexpected "b"/],
  ["a # b", /unexpected "#"/],
  ["(a", /"\)" is missing/],
  ["a.1", /a name is missing after "\."/],
  ["a[x]", /an index is missing after "a\["/],
  ["eval(a)", /unknown function "eval"/],
  ["(".repeat(200), /it is nested too deeply/],
  ["!".repeat(200) + "a", /it is nested too deeply/],
  ["a".repeat(20_000), /it has more than 10000 characters/],
];

for (const [expression, message] of REFUSED) {
  Deno.test(`compileRecordExpression() refuses ${expression.slice(0, 20)} (${message.source})`, () => {
    const refusal = assertThrows(() => compileRecordExpression(expression), Error);
    assertEquals(message.test((refusal as Error).message), true, (refusal as Error).message);
  });
}

const UNFIT: readonly (readonly [expression: string, message: string])[] = [
  ["user.id.x", 'Expected a map for "x"'],
  ["user[]", 'Expected a list for "user[]"'],
  ["n + user.id", 'Expected a number, got "c1"'],
  ["!n", "Expected a boolean, got 3"],
  ["sum(n)", "Expected a list"],
];

for (const [expression, message] of UNFIT) {
  Deno.test(`a record expression fails for a record that does not fit: ${expression}`, () => {
    const refusal = assertThrows(
      () => compileRecordExpression(expression)(RECORD, new RecordSteps()),
      Error,
    ) as Error;
    assertEquals(refusal.message, message);
  });
}

Deno.test("a record expression reads own members only, whatever their names", () => {
  const record: JsonValue = JSON.parse('{"__proto__": {"x": 1}}');
  assertEquals(compileRecordExpression("__proto__.x")(record as JsonObject, new RecordSteps()), 1);
  assertEquals(compileRecordExpression("constructor")({}, new RecordSteps()), null);
});

Deno.test("concat() of a record expression refuses a text with more than 32 Mi characters", () => {
  const record = { x: "x".repeat(16_777_216) };
  assertEquals(String(compileRecordExpression("concat(x, x)")(record, new RecordSteps())).length, 33_554_432);
  assertThrows(
    () => compileRecordExpression('concat(x, x, "y")')(record, new RecordSteps()),
    Error,
    "Cannot join the texts: they have 33554433 characters, and at most 33554432 are possible",
  );
});

const LARGE: JsonObject = {
  list: Array(100_000).fill(1),
  rows: Array.from({ length: 100_000 }, () => ({ a: 1 })),
  text: "1".repeat(800_000),
};

/** An operand that is evaluated 150 times, and the operator between them. */
const COSTLY: readonly (readonly [operand: string, operator: string])[] = [
  ["sum(list)", "+"],
  ["count(rows[].a)", "+"],
  ["list != list", "||"],
  ["list in (rows)", "||"],
  ["toString(rows) = text", "||"],
  ["concat(text, text) = none", "||"],
  ["!(text < text)", "&&"],
];

for (const [operand, operator] of COSTLY) {
  const expression = Array(150).fill(operand).join(operator);
  Deno.test(`an expression over a large record takes steps: ${operand} ${operator} …`, () => {
    assertThrows(
      () => compileRecordExpression(expression)(LARGE, new RecordSteps()),
      Error,
      "take more than 10000000 steps",
    );
    compileRecordExpression(operand)(LARGE, new RecordSteps());
  });
}
