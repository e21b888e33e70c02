import { assertEquals, fail } from "@std/assert";
import {
  type DateOperator,
  matchesDate,
  matchesName,
  NAME_OPERATORS,
  nameTest,
} from "../../../src/model/executions/execution_query.ts";

/** The dates of 1, 2 and 3 that match a comparison with 2. */
const DATES: readonly (readonly [DateOperator, number[]])[] = [
  ["EQUALS", [2]],
  ["NOT_EQUALS", [1, 3]],
  ["GREATER_THAN", [3]],
  ["GREATER_THAN_OR_EQUAL_TO", [2, 3]],
  ["LESS_THAN", [1]],
  ["LESS_THAN_OR_EQUAL_TO", [1, 2]],
];
for (const [operator, met] of DATES) {
  Deno.test(`matchesDate() ${operator}`, () => {
    assertEquals([1, 2, 3].filter((at) => matchesDate(operator, 2, at)), met);
  });
}

const NAMES = ["a", "a.b", "b.a", "ab", "ba", ""];
for (const operator of NAME_OPERATORS) {
  Deno.test(`nameTest() ${operator} accepts the same names as matchesName()`, () => {
    const lists = operator === "IN" || operator === "NOT_IN" ? [["a"], ["a", "ab"], ["x", "x"]] : [["a"]];
    for (const values of lists) {
      const expected = NAMES.filter((name) => matchesName(operator, values, name));
      assertEquals(NAMES.filter(nameTest(operator, values)), expected);
    }
  });
}

Deno.test("nameTest() does not search a list for each name", () => {
  const values = ["a", "b"];
  const test = nameTest("NOT_IN", Object.assign(values, { includes: () => fail("searched") }));
  assertEquals(NAMES.filter(test), NAMES.slice(1));
});
