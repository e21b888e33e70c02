import { assertEquals } from "@std/assert";
import {
  deprecationsOf,
  isDeprecation,
  parseFlowSource,
  validateFlow,
  validateTask,
  validateTrigger,
} from "../../../src/flow/mod.ts";
import { catalogs } from "../flow_support.ts";

const SOURCE = `id: f
namespace: n
inputs:
- {name: a, type: ENUM, values: [x]}
tasks:
- {id: echo, type: core.debug.Echo}
- {id: old, type: io.kestra.core.tasks.log.Log, message: x, version: 1}
- {id: schemas, type: test.Schemas, older: 1, outdated: x}
triggers:
- {id: w, type: io.svc.core.models.triggers.types.Webhook, key: long-enough-for-a-key}
`;

Deno.test("deprecationsOf() gives what is out of date, in the order of the source", () => {
  const problems = validateFlow(parseFlowSource(SOURCE), catalogs);
  assertEquals(deprecationsOf(problems), {
    paths: ["inputs[0].name", "tasks[0]", "tasks[2].older", "tasks[2].outdated"],
    replacements: [
      "ENUM is replaced by SELECT",
      "io.kestra.core.tasks.log.Log is replaced by io.kestra.plugin.core.log.Log",
      "io.svc.core.models.triggers.types.Webhook is replaced by io.svc.plugin.core.trigger.Webhook",
    ],
  });
  const others = problems.filter((problem) => !isDeprecation(problem)).map(({ path }) => path);
  assertEquals(others, ["tasks[1].version"]);
});

/** A source that holds one thing, and the problems. */
const PARTS: readonly (readonly [typeof validateTask, string, readonly string[]])[] = [
  [validateTask, "{id: a, type: core.log.Log, message: x}", []],
  [validateTask, "{id: a, type: core.log.Log, message: x, unknownProp: y}", [
    'unknownProp: Unrecognized field "unknownProp"',
  ]],
  [validateTask, "{id: a, type: core.log.Lg, message: x}", [
    'type: Invalid type: core.log.Lg, did you mean "core.log.Log"',
  ]],
  [validateTask, "{id: a, type: core.flow.Parallel, tasks: [{id: a, type: core.log.Log}]}", [
    "tasks[0].message: must not be null",
    "tasks[0].id: Duplicate task id with name [a]",
  ]],
  [validateTask, "{id: a, type: core.log.Log, message: '{{ outputs.other }} {{ 1 + }}'}", [
    'message: Expected an expression, found "}}" in the expression `{{ 1 + }}` at line 1',
  ]],
  [validateTask, "{id: a, type: core.log.Log, message: '{{ outputs.other }}'}", []],
  [validateTask, "[a]", [": The document must be an object"]],
  [validateTrigger, "{id: a, type: core.trigger.Webhook, key: long-enough-for-a-key}", []],
  [validateTrigger, "{id: a, type: core.trigger.Webhook}", ["key: must not be null"]],
  [validateTrigger, "{id: a, type: core.log.Log}", ["type: Invalid type: core.log.Log"]],
  [validateTrigger, "{id: a, type: core.trigger.Webhook, key: '{{'}", [
    'key: Cannot find the closing "}}" in the expression `{{` at line 1',
  ]],
  [validateTrigger, "a: [", [
    ": Flow sequence in block collection must be sufficiently indented and end with a ]",
  ]],
];

for (const [validate, source, expected] of PARTS) {
  Deno.test(`${validate.name}() of ${source}`, () => {
    const problems = validate(parseFlowSource(source), catalogs, { expressions: {} });
    assertEquals(problems.map(({ path, message }) => `${path}: ${message}`), [...expected]);
  });
}
