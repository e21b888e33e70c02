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

/** Some 3,900 instructions each: 256 of them take all moves. */
const LARGE = Array.from({ length: 400 }, (_, i) => `(?:${"abcd"[i % 4]}{62}){62}`);
/** More instructions than a pattern may have. */
const TOO_LARGE = LARGE.map(() => "(?:a{62}){99}");
const TOO_LARGE_TOGETHER = /it and those before it take too many moves together/;

function countTooLarge(problems: readonly (string | undefined)[]): void {
  const refused = problems.filter((problem) => TOO_LARGE_TOGETHER.test(problem ?? ""));
  assert(refused.length > 100 && refused.length < 200, `${refused.length}`);
}

Deno.test("checkInputs() gives the compilation of all validators of a form its moves together", () => {
  const declared = LARGE.map((pattern, i) => `- {id: i${i}, type: STRING, validator: '${pattern}'}`);
  const given = new Map(LARGE.map((_, i): [string, GivenValue] => [`i${i}`, { kind: "text", text: "b" }]));
  countTooLarge(checkInputs(inputsOf(declared.join("\n")), given).map(({ problem }) => problem));
});

for (const [name, patterns] of [["large", LARGE], ["too large", TOO_LARGE]] as const) {
  Deno.test(`validateFlow() gives the compilation of all validators its moves together: ${name} ones`, () => {
    const inputs = patterns.map((pattern, i) => `- {id: i${i}, type: STRING, validator: '${pattern}'}\n`);
    countTooLarge(describedProblemsOf(`${VALID}inputs:\n${inputs.join("")}`));
  });
}
