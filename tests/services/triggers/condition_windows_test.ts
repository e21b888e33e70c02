import { assertEquals } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { json, yaml } from "../../support/flows/request_bodies.ts";
import {
  condition,
  evaluationsOf,
  executionsOf,
  flowTrigger,
  stateOf,
  triggeredFlow,
} from "../../support/flows/triggers.ts";

/** A flow of namespace `demo` that ends immediately with the output `text`. */
function upstream(id: string): string {
  const task = { id: "r", type: "io.kestra.plugin.core.debug.Return", format: "done" };
  const outputs = [{ id: "text", type: "STRING", value: "{{ outputs.r.value }}" }];
  return JSON.stringify({ id, namespace: "demo", tasks: [task], outputs });
}

/** A flow whose trigger waits for executions of flows, and for one that meets each filter. */
function listener(flows: readonly string[], where: JsonValue[] = []): string {
  const upstreams = flows.map((flowId) => ({ namespace: "demo", flowId }));
  return triggeredFlow("listener", flowTrigger({ preconditions: { id: "p", flows: upstreams, where } }));
}

async function runAll(app: Harness, flows: readonly string[]): Promise<number> {
  for (const id of flows) {
    await app.start(id);
    await settle();
  }
  return (await executionsOf(app, "listener")).length;
}

/** Upstream flows before and after an update of the flow, executions before and after it, and the number of starts. */
const UPDATES: readonly (readonly [
  before: readonly string[],
  ended: readonly string[],
  after: readonly string[],
  ends: readonly string[],
  starts: number,
])[] = [
  [["a", "b"], ["a"], ["b", "c"], ["c"], 0],
  [["a", "b"], ["a"], ["b", "c"], ["c", "b"], 1],
  [["a", "b"], ["a"], ["b", "a"], ["b"], 1],
  [["a", "b"], ["a"], ["a", "b", "c"], ["b"], 0],
];

for (const [before, ended, after, ends, starts] of UPDATES) {
  const name = `${before} with ${ended}, then of ${after} with ${ends} starts ${starts}`;
  Deno.test(`ConditionWindows.evaluate() of ${name}`, async () => {
    await using app = await Harness.start();
    for (const id of ["a", "b", "c"]) await app.save(upstream(id));
    await app.save(listener(before));
    await runAll(app, ended);
    await app.json("PUT", "/flows/demo/listener", yaml(listener(after)));
    assertEquals(await runAll(app, ends), starts);
  });
}

Deno.test("ConditionWindows.evaluate() forgets what met a part that the flow declares no longer", async () => {
  await using app = await Harness.start();
  for (const id of ["a", "b", "c"]) {
    await app.save(upstream(id).replace('"id":"text"', `"id":"of_${id}"`));
  }
  await app.save(listener(["a", "b"]));
  await runAll(app, ["a"]);
  await app.json("PUT", "/flows/demo/listener", yaml(listener(["b", "c"])));
  await runAll(app, ["b", "c"]);
  const [started] = await executionsOf(app, "listener");
  assertEquals(started?.trigger.outputs, { of_b: "done", of_c: "done" });
});

/** What a trigger waits for. */
const HELD: readonly (readonly [name: string, trigger: JsonObject])[] = [
  ["preconditions", {
    preconditions: {
      id: "p",
      flows: [{ namespace: "demo", flowId: "a" }, { namespace: "demo", flowId: "b" }],
    },
  }],
  ["a window that fires once", {
    dependsOn: [{ flowId: "a" }, { flowId: "b" }],
    window: { every: "P1D", fireOnce: true },
  }],
];
for (const [name, trigger] of HELD) {
  Deno.test(`ConditionWindows.evaluate() keeps the met parts of ${name} while a quota refuses the start`, async () => {
    const quotaLimits = { executions: { others: 3, tenants: new Map() } };
    await using app = await Harness.start({ quotaLimits });
    const api = "/api/v1/acme";
    await app.json("POST", "/api/v1/tenants", json({ id: "acme" }));
    for (const id of ["a", "b", "c"]) await app.json("POST", `${api}/flows`, yaml(upstream(id)));
    await app.json("POST", `${api}/flows`, yaml(triggeredFlow("listener", flowTrigger(trigger))));
    const run = async (id: string) => {
      const { id: execution } = await app.json("POST", `${api}/executions/demo/${id}`) as JsonObject;
      await settle();
      return `${api}/executions/${execution}`;
    };
    const runs = [await run("a"), await run("c"), await run("b")];
    for (const path of runs) await app.json("DELETE", path);
    await run("b");
    const query = "filters[flowId][EQUALS]=listener";
    const { total } = await app.json("GET", `${api}/executions/search?${query}`) as { total: number };
    assertEquals(total, 1);
  });
}

/** Filters on an expression, and whether an execution of flow `a` with the output `done` meets them. */
const EXPRESSIONS: readonly (readonly [filter: JsonObject, isMet: boolean])[] = [
  [{ type: "IS_TRUE", value: "{{ trigger.outputs.text == 'done' }}" }, true],
  [{ type: "IS_TRUE", value: "{{ trigger.flowId == 'b' }}" }, false],
  [{ type: "IS_FALSE", value: "{{ trigger.flowId == 'b' }}" }, true],
  [{ type: "IS_NULL", value: "{{ labels.team ?? '' }}" }, true],
  [{ type: "IS_NOT_NULL", value: "{{ trigger.outputs.text }}" }, true],
  [{ type: "IN", value: "{{ trigger.outputs.text }}", values: ["todo", "done"] }, true],
  [{ type: "NOT_IN", value: "{{ trigger.outputs.text }}", values: ["todo", "done"] }, false],
];

for (const [filter, isMet] of EXPRESSIONS) {
  Deno.test(`ConditionWindows.evaluate() with a filter ${JSON.stringify(filter)} is ${isMet}`, async () => {
    await using app = await Harness.start();
    await app.save(upstream("a"));
    await app.save(listener([], [{ id: "w", filters: [{ field: "EXPRESSION", ...filter }] }]));
    assertEquals(await runAll(app, ["a"]), isMet ? 1 : 0);
  });
}

/** A window with one part, which executions of the flow meet. */
function window(flowId: string, more: JsonObject = {}): JsonObject {
  const part = condition("ExecutionFlow", { namespace: "demo", flowId });
  return condition("MultipleCondition", { id: `w-${flowId}`, conditions: { part }, ...more });
}

const KEPT = { resetOnSuccess: false };

/** Windows of a trigger, flows whose executions end, and the number of starts after each of them. */
const WINDOWS:
  readonly (readonly [name: string, trigger: JsonObject, ends: readonly (readonly [string, number])[]])[] = [
    [
      "two windows over different flows",
      { conditions: [window("a"), window("b")] },
      [["a", 0], ["c", 0], ["b", 1], ["b", 1], ["a", 2]],
    ],
    [
      "a window and preconditions over different flows",
      {
        conditions: [window("a")],
        preconditions: { id: "p", flows: [{ namespace: "demo", flowId: "b" }] },
      },
      [["b", 0], ["a", 1]],
    ],
    [
      "two windows that keep their parts",
      { conditions: [window("a", KEPT), window("b", KEPT)] },
      [["a", 0], ["b", 1], ["c", 1], ["a", 2]],
    ],
  ];

for (const [name, trigger, ends] of WINDOWS) {
  Deno.test(`ConditionWindows.evaluate() of ${name} starts with the execution that completes them`, async () => {
    await using app = await Harness.start();
    for (const id of ["a", "b", "c"]) await app.save(upstream(id));
    await app.save(triggeredFlow("listener", flowTrigger(trigger)));
    const starts: (readonly [string, number])[] = [];
    for (const [id] of ends) starts.push([id, await runAll(app, [id])]);
    assertEquals(starts, ends);
  });
}

for (
  const [count, state, reason] of [[16, "SUCCESS", undefined], [
    20,
    "FAILED",
    "have more than 16 MiB",
  ]] as const
) {
  Deno.test(`a start for ${count} executions with nearly 1 MiB of outputs each is ${state}`, async () => {
    await using app = await Harness.start();
    const inputs = [{ id: "n", type: "STRING" }];
    const outputs = [{ id: "text", type: "STRING", value: "{{ vars.x }}".repeat(10) }];
    const tasks = [{ id: "r", type: "io.kestra.plugin.core.debug.Return", format: "done" }];
    const variables = { x: "x".repeat(100_000) };
    await app.save(JSON.stringify({ id: "a", namespace: "demo", variables, inputs, outputs, tasks }));
    const isNth = (n: number) => condition("Expression", { expression: `{{ inputs.n == '${n}' }}` });
    const parts = Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, isNth(n)]));
    const conditions = [condition("MultipleCondition", { id: "m", conditions: parts })];
    const log = { id: "l", type: "io.kestra.plugin.core.log.Log", message: "m" };
    await app.save(triggeredFlow("listener", flowTrigger({ conditions }), { tasks: [log] }));
    for (let n = 0; n < count; n++) {
      await app.start("a", { n: `${n}` });
      await settle();
    }
    const started = await executionsOf(app, "listener");
    assertEquals(started.map((execution) => execution.state), [state]);
    const [evaluation = ""] = evaluationsOf(await stateOf(app, "listener"));
    assertEquals(evaluation.includes(reason ?? "STARTED"), true, evaluation);
  });
}
