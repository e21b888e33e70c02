import { assertEquals, assertThrows } from "@std/assert";
import { createExecution } from "../../../src/engine/create.ts";
import { buildFlow, buildInputs, parseFlowSource } from "../../../src/flow/mod.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { GivenValue } from "../../../src/model/flows/input_value.ts";
import { NO_HOST } from "../../../src/rendering/scope.ts";
import { StartChecks } from "../../../src/services/starts/start_checks.ts";

const IDENTITY = { tenant: "main", revision: 1, flowNo: 1, deleted: false, source: "" };
/** A condition is the name of the input that must be there. */
const CHECKS = new StartChecks({
  seal: (_flow, text) => text,
  render: (_flow, { template, inputs }) => Object.hasOwn(inputs, template.replaceAll(/[{} ]/g, "")),
  reads: () => ({ ...NO_HOST, run: (work) => work(), mask: (text) => text }),
});

function flowOf(members: string) {
  return buildFlow(parseFlowSource(`{id: f, namespace: n, ${members}}`).document ?? {}, IDENTITY);
}

function judged(members: string) {
  const flow = flowOf(members);
  const execution = createExecution(flow, { id: "x", labels: [], kind: "NORMAL", inputs: { a: 1 } }, 5);
  CHECKS.evaluateChecks(flow, execution, 7);
  return execution;
}

/** Behaviours of two checks that fail, states of the execution. */
const JUDGED: readonly [string, string, readonly string[]][] = [
  ["FAIL_EXECUTION", "CREATE_EXECUTION", ["CREATED", "FAILED"]],
  ["CREATE_EXECUTION", "FAIL_EXECUTION", ["CREATED", "FAILED"]],
  ["CREATE_EXECUTION", "CREATE_EXECUTION", ["CREATED"]],
];
for (const [first, second, states] of JUDGED) {
  Deno.test(`StartChecks.evaluateChecks() of ${first} and ${second} leaves an execution in ${states.at(-1)}`, () => {
    const check = (behavior: string) => `{condition: "{{ b }}", message: m, behavior: ${behavior}}`;
    const execution = judged(`checks: [${check(first)}, ${check(second)}]`);
    assertEquals(execution.history.map(({ state }) => state), states);
    assertEquals(execution.newLogs.map(({ message }) => message), states.length === 2 ? ["m"] : []);
  });
}

Deno.test("StartChecks.evaluateChecks() refuses an execution that a check blocks, with all messages", () => {
  const members =
    'checks: [{condition: "{{ b }}", message: one}, {condition: "{{ a }}", message: holds}, {condition: "{{ c }}", message: two}]';
  const error = assertThrows(() => judged(members), DomainError, "Invalid entity: one, two");
  assertEquals([error.code, error.items.length], ["invalid_entity", 2]);
});

Deno.test("StartChecks.evaluateChecks() changes nothing if all checks hold or the flow has no checks", () => {
  for (const members of ["tasks: []", 'checks: [{condition: "{{ a }}", message: m}]']) {
    assertEquals(judged(members).history.length, 1);
  }
});

Deno.test("StartChecks.report() reads declared inputs, which no check concerns", () => {
  const flow = flowOf('inputs: [{id: own, type: INT}], checks: [{condition: "{{ b }}", message: m}]');
  const asked = buildInputs([{ id: "reason", type: "STRING" }, { id: "count", type: "INT" }]);
  const given = new Map<string, GivenValue>([["reason", { kind: "text", text: "why" }], ["own", {
    kind: "text",
    text: "1",
  }]]);
  assertEquals(CHECKS.report(flow, given, asked), {
    id: "f",
    namespace: "n",
    inputs: [
      { input: { id: "reason", type: "STRING" }, enabled: true, isDefault: false, value: "why", errors: [] },
      {
        input: { id: "count", type: "INT" },
        enabled: true,
        isDefault: false,
        errors: [{ message: "Invalid input for `count`, missing required input, but received `null`" }],
      },
    ],
    checks: [],
  });
  assertThrows(() => CHECKS.inputs(flow, given, asked), DomainError, "Invalid input for `count`");
  assertEquals(CHECKS.inputs(flow, given), { own: 1 });
});
