/** Flow triggers with more conditions than the record of their window holds. */
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";

const MANY = Array.from({ length: 1_300 }, (_, n) => n);
/** Conditions of a Flow trigger of which each met one is stored, and the error. */
const WINDOWS: readonly (readonly [members: JsonObject, error: string | undefined])[] = [
  [
    {
      conditions: [{
        id: "m",
        type: "core.condition.MultipleCondition",
        conditions: Object.fromEntries(MANY.map((n) => [`c${n}`, condition(n)])),
      }],
    },
    "triggers[0].conditions[0].conditions: the 1300 conditions need up to 78190 bytes once they are met, but a trigger stores at most 65536",
  ],
  [
    { preconditions: { id: "p", flows: MANY.slice(0, 700).map(flow) } },
    "triggers[0].preconditions: the 700 conditions need up to 69890 bytes once they are met, but a trigger stores at most 65536",
  ],
  [
    { dependsOn: MANY.slice(0, 900).map(flow) },
    "triggers[0].dependsOn: the 900 conditions need up to 89890 bytes once they are met, but a trigger stores at most 65536",
  ],
  [{ dependsOn: MANY.slice(0, 500).map(flow) }, undefined],
];

function flow(n: number): JsonObject {
  return { namespace: "demo", flowId: `f${n}` };
}

function condition(n: number): JsonObject {
  return { type: "core.condition.ExecutionFlow", ...flow(n) };
}

for (const [members, error] of WINDOWS) {
  Deno.test(`validateFlow() of conditions that executions meet together: ${error ?? "no error"}`, () => {
    const trigger = { id: "t", type: "core.trigger.Flow", ...members };
    const tasks = [{ id: "t", type: "core.execution.Fail" }];
    const source = JSON.stringify({ id: "f", namespace: "demo", tasks, triggers: [trigger] });
    const catalogs = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
    const found = validateFlow(parseFlowSource(source), catalogs);
    const errors = found.filter(({ severity }) => severity === "error");
    assertEquals(
      errors.map(({ path, message }) => `${path}: ${message}`),
      error === undefined ? [] : [error],
    );
  });
}
