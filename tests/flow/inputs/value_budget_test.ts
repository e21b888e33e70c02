/** The texts in YAML and ION of all inputs are read in one turn: they have a bounded number of values together. */
import { assert, assertEquals } from "@std/assert";
import { checkInputs } from "../../../src/flow/mod.ts";
import type { GivenValue } from "../../../src/model/flows/input_value.ts";
import { describedProblemsOf, inputsOf, VALID } from "../flow_support.ts";

const TOO_MANY = /more than 100000 values together: use fewer, or JSON/;

/** Declaration, given text, and which of four such inputs are refused. */
const CASES: readonly [string, string, string, readonly boolean[]][] = [
  ["lists of YAML", "type: ARRAY, itemType: YAML", listOf(6_000), [false, false, true, true]],
  ["choices of YAML", "type: MULTISELECT, values: [a], itemType: YAML", listOf(6_000), [
    false,
    false,
    true,
    true,
  ]],
  ["lists of ION", "type: ARRAY, itemType: ION", listOf(6_000), [false, false, false, true]],
  ["lists of JSON", "type: ARRAY, itemType: JSON", listOf(6_000, '"1"'), [false, false, false, false]],
  ["texts in YAML", "type: YAML", "- a\n".repeat(40_000), [false, false, true, true]],
  ["texts in ION", "type: ION", `"${"a".repeat(1_000_000)}"`, [false, false, false, false]],
];

function listOf(count: number, item = '"a"'): string {
  return `[${Array(count).fill(item).join(",")}]`;
}

for (const [name, declaration, text, expected] of CASES) {
  Deno.test(`checkInputs() limits the values of all inputs together: ${name}`, () => {
    const ids = ["a", "b", "c", "d"];
    const flow = inputsOf(ids.map((id) => `- {id: ${id}, ${declaration}}`).join("\n"));
    const given = new Map(ids.map((id): [string, GivenValue] => [id, { kind: "text", text }]));
    const problems = checkInputs(flow, given).map(({ problem }) => problem);
    assertEquals(problems.map((problem) => problem !== undefined), expected);
    for (const problem of problems) assert(problem === undefined || TOO_MANY.test(problem), problem);
  });
}

Deno.test("checkInputs() keeps the reason for one text with too many values", () => {
  const given = new Map<string, GivenValue>([["a", { kind: "text", text: "- a\n".repeat(100_001) }]]);
  const [check] = checkInputs(inputsOf("- {id: a, type: YAML}"), given);
  assert(check?.problem?.includes("The document has more than 100000 values"), check?.problem);
});

Deno.test("validateFlow() limits the values in YAML of all defaults together", () => {
  const list = listOf(12_000, "a");
  const inputs = ["a", "b"].map((id) => `- {id: ${id}, type: ARRAY, itemType: YAML, defaults: ${list}}\n`);
  const problems = describedProblemsOf(`${VALID}inputs:\n${inputs.join("")}`);
  assertEquals(problems.map((problem) => TOO_MANY.test(problem)), [true]);
});
