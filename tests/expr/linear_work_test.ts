/** Work that is done in one piece takes a time that grows with the size of its values, no faster: else these would take up to hours. */
import { assertEquals } from "@std/assert";
import type { JsonValue } from "../../src/base/json.ts";
import { ExpressionError } from "../../src/expr/mod.ts";
import { evaluateRow } from "./support.ts";

const NAMES = Array.from({ length: 30_000 }, (_, index) => `a${index}`);

/** What is long, an expression, the value `v`, and the result; an error by its code. */
const CASES: readonly (readonly [what: string, expression: string, v: string, expected: JsonValue])[] = [
  [
    "alternative patterns within each other",
    `{{ [v] | jq('.[0] | ${". as $a ?// $b | ".repeat(40)}$a') }}`,
    "x",
    ["x"],
  ],
  ["a base64 text", "{{ [v] | jq('.[0] | @base64d') }}", `${"=".repeat(1_000_000)}a`, "argument"],
  ["a base32 text", "{{ [v] | jq('.[0] | @base32d') }}", `${"=".repeat(1_000_000)}a`, "argument"],
  [
    "an extended pattern",
    `{{ [v] | jq('.[0] as $p | "a" | test($p; "x")') }}`,
    "[".repeat(1_000_000),
    "limit",
  ],
  ["comments without an end", "{{ fromIon(v) }}", `(${"/* ".repeat(300_000)}`, "argument"],
  [
    "marks on a letter",
    "{{ v | slugify }}",
    `a${"\u0301".repeat(500_000)}${"\u0323".repeat(500_000)}b`,
    "ab",
  ],
  [
    "the arguments of a macro",
    `{% macro f(${NAMES}) %}x{% endmacro %}{{ f(${NAMES.map((name) => `${name}=1`)}) }}`,
    "",
    "x",
  ],
];

function resultOf(expression: string, v: string): JsonValue {
  try {
    return evaluateRow(expression, { v });
  } catch (error) {
    if (error instanceof ExpressionError) return error.code;
    throw error;
  }
}

for (const [what, expression, v, expected] of CASES) {
  Deno.test(`an expression ends: ${what}`, () => assertEquals(resultOf(expression, v), expected));
}
