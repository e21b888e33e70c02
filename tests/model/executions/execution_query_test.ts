import { assertEquals } from "@std/assert";
import { type DateOperator, matchesDate } from "../../../src/model/executions/execution_query.ts";

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
