import { assertEquals } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { compileTemplate, renderValue } from "../../../src/expr/mod.ts";
import { decisiveChecks, type FailedCheck, failedChecks, parseFlowSource } from "../../../src/flow/mod.ts";

function render(template: string, inputs: JsonObject): JsonValue {
  return renderValue(compileTemplate(template), {
    variable: (name) => name === "inputs" ? inputs : undefined,
    functions: new Map(),
    now: 0,
    timeZone: "UTC",
    random: () => 0,
  });
}

function failed(checks: string, inputs: JsonObject = {}): FailedCheck[] {
  const { document } = parseFlowSource(`checks: [${checks}]`);
  return failedChecks(document ?? {}, (template) => render(template, inputs));
}

/** Condition, inputs, whether it holds. */
const CONDITIONS: readonly [string, JsonObject, boolean][] = [
  ['"{{ inputs.n > 3 }}"', { n: 4 }, true],
  ['"{{ inputs.n > 3 }}"', { n: 3 }, false],
  ['"{{ inputs.n }}"', { n: 0 }, false],
  ['"{{ inputs.n }}"', { n: -1 }, true],
  ['"{{ inputs.s }}"', { s: "" }, false],
  ['"{{ inputs.s }}"', { s: " false " }, false],
  ['"{{ inputs.s }}"', { s: "no" }, true],
  ['"{{ inputs.s }}"', { s: null }, false],
  ['"{{ inputs.list }}"', { list: [] }, true],
  ['"{{ inputs.missing }}"', {}, false],
  ['"{{ inputs.missing ?? true }}"', {}, true],
  ['"{{ inputs.n | unknown }}"', { n: 1 }, false],
  ['"{{ inputs.n > 3 }} and {{ inputs.n }}"', { n: 1 }, true],
  ["true", {}, true],
  ["false", {}, false],
  ['"-0"', {}, false],
  ["0", {}, false],
  ["null", {}, false],
];
Deno.test("failedChecks() knows the condition of a check as `when`, too", () => {
  assertEquals(failed('{when: "{{ inputs.n > 3 }}", message: m}', { n: 4 }).length, 0);
  assertEquals(failed('{when: "{{ inputs.n > 3 }}", message: m}', { n: 3 }).length, 1);
});

for (const [condition, inputs, holds] of CONDITIONS) {
  Deno.test(`failedChecks() takes ${condition} with ${JSON.stringify(inputs)} for ${holds}`, () => {
    assertEquals(failed(`{condition: ${condition}, message: m}`, inputs).length, holds ? 0 : 1);
  });
}

Deno.test("failedChecks() gives message, style and behaviour, with their defaults", () => {
  const checks = `{condition: false, message: plain},
    {condition: false, message: "{{ inputs.n }} is too small", style: ERROR, behavior: FAIL_EXECUTION},
    {condition: false, message: "{{ inputs.missing }} is missing", behavior: CREATE_EXECUTION},
    {condition: true, message: holds}`;
  assertEquals(failed(checks, { n: 1 }), [
    { message: "plain", style: "INFO", behavior: "BLOCK_EXECUTION" },
    { message: "1 is too small", style: "ERROR", behavior: "FAIL_EXECUTION" },
    { message: "{{ inputs.missing }} is missing", style: "INFO", behavior: "CREATE_EXECUTION" },
  ]);
});

Deno.test("failedChecks() says why a condition cannot be evaluated, and blocks the execution", () => {
  const [check] = failed(
    '{condition: "{{ inputs.missing }}", message: m, style: INFO, behavior: CREATE_EXECUTION}',
  );
  assertEquals([check?.style, check?.behavior], ["ERROR", "BLOCK_EXECUTION"]);
  assertEquals(check?.message.startsWith("m (the condition cannot be evaluated: "), true, check?.message);
});

Deno.test("failedChecks() finds none where none are declared", () => {
  for (const source of ["tasks: []", "checks: []", "checks: 1", "checks: null", "checks: [1, text, null]"]) {
    assertEquals(failedChecks(parseFlowSource(source).document ?? {}, () => true), []);
  }
});

const BLOCK = "{condition: false, message: block}";
const FAIL = "{condition: false, message: fail, behavior: FAIL_EXECUTION}";
const CREATE = "{condition: false, message: create, behavior: CREATE_EXECUTION}";
const DECISIVE: readonly [string[], string[]][] = [
  [[], []],
  [[CREATE], ["create"]],
  [[CREATE, FAIL], ["fail"]],
  [[FAIL, CREATE, BLOCK], ["block"]],
  [[FAIL, FAIL, CREATE], ["fail", "fail"]],
];
for (const [checks, messages] of DECISIVE) {
  Deno.test(`decisiveChecks() of [${checks.length}] are ${JSON.stringify(messages)}`, () => {
    assertEquals(decisiveChecks(failed(checks.join(", "))).map(({ message }) => message), messages);
  });
}
