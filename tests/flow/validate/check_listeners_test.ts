import { assertEquals } from "@std/assert";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";

const CATALOGS = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };

/** A condition of a listener, and what is wrong with it. */
const CONDITIONS: readonly (readonly [name: string, condition: string, problems: readonly string[]])[] = [
  ["a state", "{type: $ExecutionStatus, in: [FAILED]}", []],
  ["an older name", "{type: io.kestra.core.models.conditions.types.ExecutionStatusCondition, in: [FAILED]}", [
    "replaced_type listeners[0].conditions[0].type",
  ]],
  ["several executions", "{type: $MultipleCondition, id: m, conditions: {}}", [
    "not_supported listeners[0].conditions[0].type",
  ]],
  ["a type that nothing knows", "{type: $Maybe}", ["unknown_type listeners[0].conditions[0].type"]],
];
for (const [name, condition, expected] of CONDITIONS) {
  Deno.test(`checkListeners() ${name}`, () => {
    const written = condition.replace("$", "io.kestra.plugin.core.condition.");
    const source = `id: f
namespace: demo
tasks: [{id: t, type: io.kestra.plugin.core.execution.Fail}]
listeners: [{conditions: [${written}], tasks: [{id: l, type: io.kestra.plugin.core.execution.Fail}]}]
`;
    const found = validateFlow(parseFlowSource(source), CATALOGS).filter(({ path }) =>
      path.includes("conditions")
    );
    assertEquals(found.map(({ code, path }) => `${code} ${path}`), expected);
  });
}
