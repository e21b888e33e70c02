/** Operators of assertions. */
import { assertEquals, assertThrows } from "@std/assert";
import { Double, type JsonValue } from "../../../src/base/json.ts";
import { type Operator, OPERATOR_NAMES, OPERATORS } from "../../../src/services/flow_tests/operators.ts";

type Row = readonly [operator: Operator, actual: JsonValue, expected: JsonValue, holds: boolean];

const ROWS: readonly Row[] = [
  ["isNull", null, true, true],
  ["isNull", "", true, false],
  ["isNull", 0, false, true],
  ["isNotNull", "", true, true],
  ["isNotNull", null, true, false],
  ["equalTo", 200, 200, true],
  ["equalTo", "200", 200, true],
  ["equalTo", new Double(2), 2, true],
  ["equalTo", "true", true, true],
  ["equalTo", null, "null", false],
  ["equalTo", null, null, true],
  ["equalTo", { a: [1, "b"] }, { a: [1, "b"] }, true],
  ["equalTo", [1, 2], [2, 1], false],
  ["equalTo", 1n << 70n, String(1n << 70n), true],
  ["notEqualTo", "a", "b", true],
  ["notEqualTo", "200", 200, false],
  ["contains", "success!", "success", true],
  ["contains", "a1b", 1, true],
  ["contains", ["a", "2"], 2, true],
  ["contains", ["ab"], "a", false],
  ["contains", { name: 1 }, "name", true],
  ["contains", { name: 1 }, "toString", false],
  ["contains", null, "n", false],
  ["startsWith", "prod-a", "prod-", true],
  ["startsWith", 123, 12, true],
  ["endsWith", "a.json", ".json", true],
  ["endsWith", "a.json", "a", false],
  ["greaterThan", 11, 10, true],
  ["greaterThan", "11", "9", true],
  ["greaterThan", 10, 10, false],
  ["greaterThanOrEqualTo", 10, 10, true],
  ["lessThan", new Double(1.5), 2, true],
  ["lessThan", 2, 2, false],
  ["lessThanOrEqualTo", 2n, "2", true],
  ["in", "a", ["a", "b"], true],
  ["in", 1, ["1"], true],
  ["in", "c", ["a", "b"], false],
  ["notIn", "c", ["a", "b"], true],
  ["notIn", "a", ["a", "b"], false],
];

Deno.test("OPERATORS compare as the table says", () => {
  for (const [operator, actual, expected, holds] of ROWS) {
    assertEquals(
      OPERATORS.get(operator)?.holds(actual, expected),
      holds,
      `${actual} ${operator} ${expected}`,
    );
  }
  assertEquals(new Set(ROWS.map(([operator]) => operator)), new Set(OPERATOR_NAMES));
  assertEquals([...OPERATORS.keys()], [...OPERATOR_NAMES]);
});

Deno.test("OPERATORS cannot order what is no number, nor search what is no list", () => {
  for (const actual of ["many", "", null, true, [], {}] as const) {
    assertThrows(() => OPERATORS.get("lessThan")?.holds(actual, 1), RangeError, "is not a number");
  }
  assertThrows(() => OPERATORS.get("in")?.holds("a", "ab"), RangeError, "is not a list");
});
