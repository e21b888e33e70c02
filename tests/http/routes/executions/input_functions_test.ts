/** Functions that read data, rendered before an execution exists: choices, defaults and conditions of inputs, checks. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";
import { answer, MisbehavingServer } from "../../../support/servers/misbehaving_server.ts";
import { masked } from "../../../support/masked.ts";

const RETURN = "io.svc.plugin.core.debug.Return";
const NAMED = 'tasks: [{id: t, type: io.svc.plugin.core.debug.Return, format: "{{ inputs.name }}"}]';

async function startWithPairs(pairs: JsonObject): Promise<Harness> {
  const server = await Harness.start({
    secrets: new Map([["TOKEN", btoa("s3cret")]]),
    envs: new Map([["stage", "prod"]]),
  });
  for (const [key, value] of Object.entries(pairs)) {
    const headers = { "content-type": "application/json" };
    await server.request("PUT", `/namespaces/demo/kv/${key}`, { body: JSON.stringify(value), headers });
  }
  return server;
}

/** What an input named `name` declares, and the value that an execution gets without one. */
const DEFAULTS: readonly (readonly [declared: string, value: unknown])[] = [
  [`type: STRING, defaults: "{{ kv('city') }}"`, "Oslo"],
  [`type: STRING, defaults: "{{ kv('none') ?? 'fallback' }}"`, "fallback"],
  [`type: STRING, defaults: "{{ kv('city') }} {{ kv('size') }} {{ kv('city') }}"`, "Oslo 7 Oslo"],
  [`type: INT, defaults: "{{ kv('size') }}"`, 7],
  [`type: STRING, defaults: "{{ secret('TOKEN') }}"`, "s3cret"],
  [
    `type: STRING, defaults: "{{ flow.namespace }}.{{ flow.id }} {{ vars.base }} {{ envs.stage }}"`,
    "demo.f 9 prod",
  ],
  [`type: SELECT, expression: "{{ kv('cities') }}", defaults: Bergen`, "Bergen"],
  [`type: ARRAY, itemType: STRING, defaults: "{{ kv('cities') }}"`, ["Oslo", "Bergen"]],
];

for (const [declared, value] of DEFAULTS) {
  Deno.test(`POST /executions/:namespace/:flowId renders the input {${declared}}`, async () => {
    await using server = await startWithPairs({ city: "Oslo", size: 7, cities: ["Oslo", "Bergen"] });
    const source =
      `{id: f, namespace: demo, variables: {base: 9}, inputs: [{id: name, ${declared}}], ${NAMED}}`;
    const execution = await server.run(source);
    assertEquals([execution.state.current, execution.inputs], ["SUCCESS", { name: value }]);
  });
}

Deno.test("POST /executions/:namespace/:flowId renders defaults, conditions and checks with the labels of the start", async () => {
  await using server = await Harness.start();
  const inputs = [
    `{id: name, type: STRING, defaults: "{{ labels.team }} of {{ labels.env }} and {{ labels.zone }}"}`,
    `{id: only, type: STRING, defaults: x, dependsOn: {condition: "{{ labels.env == 'prod' }}"}}`,
  ];
  const check = `{condition: "{{ labels.env != 'bad' }}", message: "not in {{ labels.env }}"}`;
  await server.save(
    `{id: f, namespace: demo, labels: {team: blue, env: dev, zone: eu}, inputs: [${inputs}], checks: [${check}], ${NAMED}}`,
  );
  const rows: readonly (readonly [query: string, expected: unknown])[] = [
    ["", { name: "blue of dev and eu" }],
    ["?labels=env:prod&labels=zone:us", { name: "blue of prod and us", only: "x" }],
    ["?labels=env:bad", "Invalid entity: not in bad"],
  ];
  for (const [query, expected] of rows) {
    const answer = await (await server.request("POST", `/executions/demo/f${query}`, {})).json();
    assertEquals(answer.message ?? answer.inputs, expected);
    const report = await (await server.request("POST", `/executions/demo/f/validate${query}`, {})).json();
    const shown = report.inputs.flatMap((entry: { input: { id: string }; enabled: boolean; value: string }) =>
      entry.enabled ? [[entry.input.id, entry.value]] : []
    );
    const failed = report.checks.map(({ message }: { message: string }) => `Invalid entity: ${message}`);
    assertEquals(failed[0] ?? Object.fromEntries(shown), expected);
  }
});

/** What an input of a Pause declares, what it is resumed with, and its value. */
const RESUMED: readonly (readonly [declared: string, given: string | undefined, value: unknown])[] = [
  [`type: STRING, defaults: "{{ labels.env }}"`, undefined, "prod"],
  [`type: STRING, defaults: "{{ outputs.a.value }}"`, undefined, "hello"],
  [`type: STRING, defaults: "{{ inputs.who }} {{ inputs.first }}"`, undefined, "Ann 1"],
  [`type: STRING, defaults: "{{ execution.state }} {{ flow.id }} {{ vars.base }}"`, undefined, "PAUSED f 9"],
  [`type: STRING, defaults: "{{ taskrun.value }} {{ kv('city') }}"`, undefined, "x Oslo"],
  [`type: SELECT, expression: "{{ inputs.hosts }}"`, "h2", "h2"],
  [
    `type: BOOL, defaults: true, dependsOn: {inputs: [first], condition: "{{ outputs.a.value == 'hello' }}"}`,
    undefined,
    true,
  ],
];

for (const [declared, given, value] of RESUMED) {
  Deno.test(`POST /executions/:id/resume renders the input {${declared}} with the variables of the execution`, async () => {
    await using server = await startWithPairs({ city: "Oslo" });
    const asked = `{id: first, type: INT, defaults: 1}, {id: why, ${declared}}`;
    await server.save(`
id: f
namespace: demo
labels: {env: dev}
variables: {base: 9}
inputs:
  - {id: who, type: STRING, defaults: Ann}
  - {id: hosts, type: ARRAY, itemType: STRING, defaults: [h1, h2]}
tasks:
  - {id: a, type: ${RETURN}, format: hello}
  - {id: e, type: io.svc.plugin.core.flow.ForEach, values: [x], tasks: [{id: p, type: io.svc.plugin.core.flow.Pause, onResume: [${asked}]}]}
`);
    const { id } = await (await server.request("POST", "/executions/demo/f?labels=env:prod", {})).json();
    await settle();
    const body = new URLSearchParams(given === undefined ? {} : { why: given });
    const report = await (await server.request("POST", `/executions/${id}/resume/validate`, { body })).json();
    assertEquals(report.inputs[1].errors, []);
    await server.request("POST", `/executions/${id}/resume`, { body });
    await settle();
    const taskRun = (await server.execution(id)).taskRunList.find(({ taskId }) => taskId === "p");
    assertEquals(taskRun?.outputs?.onResume, { first: 1, why: value });
  });
}

Deno.test("POST /executions/:id/resume/validate shows no secret input that a default reads", async () => {
  await using server = await Harness.start();
  const asked = `{id: why, type: STRING, defaults: "{{ inputs.token }}"}`;
  await server.save(
    `{id: f, namespace: demo, inputs: [{id: token, type: SECRET}], tasks: [{id: p, type: io.svc.plugin.core.flow.Pause, onResume: [${asked}]}]}`,
  );
  const body = new URLSearchParams({ token: "s3cret-token" });
  const { id } = await (await server.request("POST", "/executions/demo/f", { body })).json();
  await settle();
  const text = await (await server.request("POST", `/executions/${id}/resume/validate`, {})).text();
  assertStringIncludes(text, masked("s3cret-token".length));
  assertEquals(text.includes("s3cret-token"), false);
});

Deno.test("POST /executions/:namespace/:flowId takes only what the choices read from a KV pair have", async () => {
  await using server = await startWithPairs({ cities: ["Oslo", "Bergen"] });
  const input = `{id: name, type: SELECT, expression: "{{ kv('cities') }}"}`;
  assertEquals(
    (await server.run(`{id: f, namespace: demo, inputs: [${input}], ${NAMED}}`, { name: "Oslo" })).state
      .current,
    "SUCCESS",
  );
  const refused = await server.request("POST", "/executions/demo/f", {
    body: new URLSearchParams({ name: "Rome" }),
  });
  assertEquals(refused.status, 422);
  const body = new URLSearchParams({ name: "Rome" });
  const shown = await (await server.request("POST", "/executions/demo/f/validate", { body })).json();
  assertEquals(shown.inputs[0].input, { id: "name", type: "SELECT", values: ["Oslo", "Bergen"] });
});

Deno.test("POST /executions/:namespace/:flowId/validate shows no secret that a default reads", async () => {
  await using server = await startWithPairs({});
  const declared = [
    `{id: name, type: STRING, defaults: "{{ secret('TOKEN') }}"}`,
    `{id: list, type: ARRAY, itemType: STRING, defaults: "{{ [secret('TOKEN')] }}"}`,
    `{id: number, type: INT, defaults: "{{ secret('TOKEN') }}"}`,
  ];
  await server.save(`{id: f, namespace: demo, inputs: [${declared}], ${NAMED}}`);
  for (const path of ["/executions/demo/f/validate", "/executions/demo/f"]) {
    const text = await (await server.request("POST", path, {})).text();
    assertStringIncludes(text, "******");
    assertEquals(text.includes("s3cret"), false);
  }
});

Deno.test("POST /executions/:namespace/:flowId judges a check that reads a KV pair", async () => {
  await using server = await startWithPairs({ open: false });
  await server.save(
    `{id: f, namespace: demo, checks: [{condition: "{{ kv('open') }}", message: "closed {{ kv('open') }}"}], ${NAMED}}`,
  );
  const refused = await server.request("POST", "/executions/demo/f", {});
  assertEquals([refused.status, (await refused.json()).message], [422, "Invalid entity: closed false"]);
});

Deno.test("Subflows.create() renders defaults that read a KV pair", async () => {
  await using server = await startWithPairs({ city: "Oslo" });
  await server.save(
    `{id: child, namespace: demo, inputs: [{id: name, type: STRING, defaults: "{{ kv('city') }}"}], ${NAMED},
      outputs: [{id: out, type: STRING, value: "{{ outputs.t.value }}"}]}`,
  );
  const execution = await server.run(
    `{id: parent, namespace: demo, tasks: [{id: s, type: io.svc.plugin.core.flow.Subflow, namespace: demo, flowId: child},
      {id: r, type: ${RETURN}, format: "{{ outputs.s.outputs.out }}"}]}`,
  );
  assertEquals(execution.taskRunList.map(({ outputs }) => outputs).at(-1), { value: "Oslo" });
});

Deno.test("POST /executions/:id/resume renders a default that reads a KV pair", async () => {
  await using server = await startWithPairs({ city: "Oslo" });
  const onResume = `[{id: name, type: STRING, defaults: "{{ kv('city') }}"}]`;
  const paused = await server.run(
    `{id: f, namespace: demo, tasks: [{id: p, type: io.svc.plugin.core.flow.Pause, onResume: ${onResume}}]}`,
  );
  await server.request("POST", `/executions/${paused.id}/resume`, {});
  await settle();
  const { taskRunList } = await server.execution(paused.id);
  const outputs = taskRunList[0]?.outputs as { onResume?: unknown } | undefined;
  assertEquals(outputs?.onResume, { name: "Oslo" });
});

Deno.test("POST /executions/:namespace/:flowId takes choices from the response of another server", async () => {
  const json = { "Content-Type": "application/json" };
  await using cities = new MisbehavingServer(() => answer(200, '["Oslo", "Bergen"]', json));
  await using server = await startWithPairs({});
  const input = `{id: name, type: SELECT, expression: "{{ http(uri='${cities.url}/cities') }}"}`;
  await server.save(`{id: f, namespace: demo, inputs: [${input}], ${NAMED}}`);
  const start = (name: string) =>
    server.request("POST", "/executions/demo/f?wait=true", { body: new URLSearchParams({ name }) });
  const taken = await (await start("Oslo")).json();
  assertEquals([taken.state.current, taken.inputs], ["SUCCESS", { name: "Oslo" }]);
  const refused = await start("Rome");
  assertEquals(refused.status, 422);
  assertStringIncludes(await refused.text(), "Bergen");
});
