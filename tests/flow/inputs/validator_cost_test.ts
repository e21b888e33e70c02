/** The patterns of validators have a bounded time together: nothing else goes on while they are matched. */
import { assert, assertEquals } from "@std/assert";
import { checkInputs } from "../../../src/flow/mod.ts";
import type { GivenValue } from "../../../src/model/flows/input_value.ts";
import { describedProblemsOf, inputsOf, VALID } from "../flow_support.ts";

/** Some 50 moves a character. */
const COSTLY = "(a|b|c|d|e|f|g|h|a|a|a|a|a)*z";
const TOO_MANY = /too many moves/;

function problemsFor(count: number, length: number): (string | undefined)[] {
  const ids = Array.from({ length: count }, (_, i) => `i${i}`);
  const declared = ids.map((id) => `- {id: ${id}, type: STRING, validator: '${COSTLY}'}`).join("\n");
  const given = new Map(
    ids.map((id): [string, GivenValue] => [id, { kind: "text", text: "a".repeat(length) }]),
  );
  return checkInputs(inputsOf(declared), given).map(({ problem }) => problem);
}

Deno.test("checkInputs() refuses a text for which a validator takes too many moves", () => {
  const [short] = problemsFor(1, 1_000), [long] = problemsFor(1, 40_000);
  assert(short?.includes("it must match the pattern"), short);
  assert(TOO_MANY.test(long ?? ""), long?.slice(0, 200));
});

Deno.test("checkInputs() gives all validators of a form their moves together", () => {
  const problems = problemsFor(10, 10_000);
  assertEquals(problems.filter((problem) => TOO_MANY.test(problem ?? "")).length, 9);
});

Deno.test("checkInputs() matches a simple validator with 100,000 characters", () => {
  const flow = inputsOf("- {id: i, type: STRING, validator: '[a-z ]+'}");
  const given = new Map<string, GivenValue>([["i", { kind: "text", text: "ab cd".repeat(20_000) }]]);
  assertEquals(checkInputs(flow, given).map(({ problem }) => problem), [undefined]);
});

Deno.test("validateFlow() gives the validators of all defaults their moves together", () => {
  const inputs = Array.from(
    { length: 10 },
    (_, i) => `- {id: i${i}, type: STRING, validator: '${COSTLY}', defaults: ${"a".repeat(10_000)}}\n`,
  );
  const problems = describedProblemsOf(`${VALID}inputs:\n${inputs.join("")}`);
  assertEquals(problems.filter((problem) => TOO_MANY.test(String(problem))).length, 9);
});
