import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { Harness } from "../support/harness.ts";
import { condition, executionsOf, flowTrigger, triggeredFlow } from "../support/flows/triggers.ts";

/** A flow of namespace `demo` that gives its id as output `of_<id>` and in a map that all of them have. */
function upstream(id: string, members: JsonObject = {}): string {
  return JSON.stringify({
    id,
    namespace: "demo",
    labels: { "team": "blue", "app.tier": "web" },
    inputs: [{ id: "given", type: "STRING", defaults: "x" }],
    tasks: [{ id: "r", type: "io.kestra.plugin.core.debug.Return", format: "done" }],
    outputs: [
      { id: `of_${id}`, type: "STRING", value: id },
      { id: "last", type: "STRING", value: id },
      { id: "all", type: "JSON", value: `{"${id}": true}` },
    ],
    ...members,
  });
}

/** What the listener was started with by these flows, one after the other. */
async function startsOf(
  trigger: JsonObject,
  flows: readonly string[],
  members: JsonObject = {},
): Promise<Awaited<ReturnType<typeof executionsOf>>> {
  await using app = await Harness.start();
  await app.save(triggeredFlow("listener", trigger));
  for (const id of flows) await app.save(upstream(id, members));
  for (const id of flows) {
    await app.start(id);
    await settle();
    await app.advance(1_000);
  }
  return await executionsOf(app, "listener");
}

const READ: readonly string[] = [
  "{{ trigger.outputs.of_a == 'a' }}",
  "{{ trigger.executionLabels.app.tier == 'web' and trigger.executionLabels.system is not defined }}",
  "{{ execution.id == trigger.executionId and execution.state == 'SUCCESS' }}",
  "{{ inputs.given == 'x' }}",
  "{{ labels.team == 'blue' and labels.app.tier == 'web' and labels.system.correlationId is defined }}",
  "{{ outputs.r.value == 'done' and outputs.of_a == 'a' }}",
  "{{ flow.id == 'listener' }}",
];

Deno.test("observed() reports missing outputs: ExecutionOutputs is false then, and no error", async () => {
  const conditions = [condition("Or", {
    conditions: [
      condition("ExecutionOutputs", { expression: "{{ trigger.outputs.none == 'x' }}" }),
      condition("ExecutionFlow", { namespace: "demo", flowId: "a" }),
    ],
  })];
  assertEquals((await startsOf(flowTrigger({ conditions }), ["a"], { outputs: [] })).length, 1);
});

for (const expression of READ) {
  Deno.test(`conditionVariables() lets a condition read ${expression}`, async () => {
    const conditions = [condition("Expression", { expression })];
    assertEquals((await startsOf(flowTrigger({ conditions }), ["a"])).length, 1);
    assertEquals((await startsOf(flowTrigger({ when: expression }), ["a"])).length, 1);
  });
}

const SEVERAL: readonly (readonly [name: string, trigger: JsonObject])[] = [
  ["preconditions", {
    preconditions: {
      id: "p",
      flows: [{ namespace: "demo", flowId: "a" }, { namespace: "demo", flowId: "b" }],
    },
  }],
  ["a MultipleCondition", {
    conditions: [condition("MultipleCondition", {
      id: "m",
      conditions: {
        a: condition("ExecutionFlow", { namespace: "demo", flowId: "a" }),
        b: condition("ExecutionFlow", { namespace: "demo", flowId: "b" }),
      },
    })],
  }],
];

for (const [name, trigger] of SEVERAL) {
  for (const flows of [["a", "b"], ["b", "a"]]) {
    Deno.test(`triggerVariables() join the outputs of ${flows.join(" and ")} that have met ${name}`, async () => {
      const [start] = await startsOf(flowTrigger(trigger), flows);
      assertEquals(start?.trigger.outputs, {
        of_a: "a",
        of_b: "b",
        last: flows[1] ?? "",
        all: { a: true, b: true },
      });
    });
  }
}

Deno.test("triggerVariables() name the tasks of an execution that has failed", async () => {
  const tasks = [
    { id: "f", type: "io.kestra.plugin.core.execution.Fail" },
  ];
  const errors = [{ id: "e", type: "io.kestra.plugin.core.log.Log", message: "x" }];
  const [start] = await startsOf(flowTrigger(), ["a"], { tasks, errors, outputs: [] });
  assertEquals([start?.trigger.firstFailedTaskId, start?.trigger.lastTaskId], ["f", "e"]);
});
