/** Rendering is one pass: what comes from outside stays data, wherever a flow hands it on. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Harness } from "../support/harness.ts";

const EVIL = "{{ secret('TOP') }}";
const CORE = "io.svc.plugin.core.";

const CHILD = `id: child
namespace: demo
inputs: [{id: s, type: STRING}]
outputs: [{id: o, type: STRING, value: "{{ inputs.s }}"}]
tasks: [{id: r, type: ${CORE}debug.Return, format: "{{ inputs.s }}"}]
`;

/** A task for each way on. */
const TASKS = `tasks:
  - {id: plain, type: ${CORE}debug.Return, format: "{{ inputs.s }}"}
  - {id: json, type: ${CORE}debug.Return, format: "{{ inputs.j[0] }}"}
  - {id: set, type: ${CORE}kv.Set, key: k, value: "{{ inputs.s }}"}
  - {id: kv, type: ${CORE}debug.Return, format: "{{ kv('k') }}"}
  - {id: get, type: ${CORE}kv.Get, key: k}
  - {id: log, type: ${CORE}log.Log, message: "{{ inputs.s }}"}
  - {id: vars, type: ${CORE}execution.SetVariables, variables: {x: "{{ inputs.s }}"}}
  - {id: var, type: ${CORE}debug.Return, format: "{{ vars.x }}"}
  - {id: choice, type: ${CORE}flow.Switch, value: "{{ inputs.s }}", defaults: [{id: chosen, type: ${CORE}debug.Return, format: "{{ outputs.choice.value }}"}]}
  - {id: each, type: ${CORE}flow.ForEach, values: ["{{ inputs.s }}"], tasks: [{id: item, type: ${CORE}debug.Return, format: "{{ taskrun.value }}"}]}
  - {id: labels, type: ${CORE}execution.Labels, labels: {z: "{{ inputs.s }}"}}
  - {id: label, type: ${CORE}debug.Return, format: "{{ labels.z }}"}
  - {id: values, type: ${CORE}output.OutputValues, values: {a: "{{ inputs.s }}"}}
  - {id: state, type: ${CORE}state.Set, data: {a: "{{ inputs.s }}"}}
  - {id: stated, type: ${CORE}state.Get}
  - {id: written, type: ${CORE}storage.Write, content: "{{ inputs.s }}"}
  - {id: read, type: ${CORE}debug.Return, format: "{{ read(outputs.written.uri) }}"}
  - {id: spec, type: ${CORE}templating.TemplatedTask, spec: "type: ${CORE}debug.Return\\nformat: {{ inputs.s | toJson }}"}
  - {id: sub, type: ${CORE}flow.Subflow, namespace: demo, flowId: child, inputs: {s: "{{ inputs.s }}"}, labels: {q: "{{ inputs.s }}"}}
outputs: [{id: o, type: STRING, value: "{{ inputs.s }}"}]
`;

const FLOW = `id: data
namespace: demo
inputs: [{id: s, type: STRING}, {id: j, type: JSON}]
${TASKS}`;

const HOOK = `id: hook
namespace: demo
inputs: [{id: s, type: STRING}]
tasks:
  - {id: r, type: ${CORE}debug.Return, format: "{{ trigger.body.s }}{{ trigger.parameters.p[0] }}{{ inputs.s }}{{ labels.l }}"}
triggers:
  - {id: w, type: ${CORE}trigger.Webhook, key: k, inputs: {s: "{{ trigger.body.s }}"}, labels: {l: "{{ trigger.body.s }}"}}
`;

function start(): Promise<Harness> {
  return Harness.start({ secrets: new Map([["TOP", btoa("hidden-value")]]) });
}

Deno.test("render() leaves expressions within inputs alone, in every place that they are handed to", async () => {
  await using app = await start();
  await app.save(CHILD);
  await app.save(FLOW);
  const { id } = await app.start("data", { s: EVIL, j: JSON.stringify([EVIL]) }, "?wait=true");
  const execution = await app.execution(id);
  const text = JSON.stringify(execution) + JSON.stringify(await app.json("GET", `/logs/${id}`));
  assertEquals(execution.state.current, "SUCCESS");
  assertEquals(text.includes("hidden-value"), false);
  const valueOf = (taskId: string) =>
    execution.taskRunList.find((taskRun) => taskRun.taskId === taskId)?.outputs.value;
  for (const taskId of ["plain", "json", "kv", "get", "var", "chosen", "item", "label", "read", "spec"]) {
    assertEquals(valueOf(taskId), EVIL, taskId);
  }
});

Deno.test("render() leaves expressions within a webhook's call alone", async () => {
  await using app = await start();
  await app.save(HOOK);
  const path = `/executions/webhook/demo/hook/k?p=${encodeURIComponent(EVIL)}`;
  const body = JSON.stringify({ s: EVIL });
  const answer = await (await app.request("POST", path, { body })).json();
  await app.advance(1_000);
  const text = JSON.stringify(await app.execution(answer.id));
  assertStringIncludes(text, EVIL.repeat(4));
  assertEquals(text.includes("hidden-value"), false);
});

Deno.test("a name that a template sets counts as data whenever its value is data", async () => {
  await using app = await start();
  const formats: Readonly<Record<string, string>> = {
    loop: "{% for x in inputs.j %}{{ render(x) }};{% set x = '' %}{% endfor %}",
    set: "{% set x = '' %}{% set x = inputs.s %}{{ render(x) }}",
  };
  const tasks = Object.entries(formats).map(([id, format]) =>
    `  - {id: ${id}, type: ${CORE}debug.Return, allowFailure: true, format: ${JSON.stringify(format)}}`
  );
  await app.save(`id: names
namespace: demo
inputs: [{id: s, type: STRING}, {id: j, type: JSON}]
variables: {own: "{{ 1 }}"}
tasks:
${tasks.join("\n")}
  - {id: own, type: ${CORE}debug.Return, format: "{% for x in inputs.j %}{% set x = vars.own %}{{ render(x) }}{% endfor %}"}
`);
  const { id } = await app.start("names", { s: EVIL, j: JSON.stringify(["a", EVIL]) }, "?wait=true");
  const { taskRunList } = await app.execution(id);
  const states = taskRunList.map(({ taskId, state: { current } }) => `${taskId} ${current}`);
  assertEquals(states, [...Object.keys(formats).map((taskId) => `${taskId} WARNING`), "own SUCCESS"]);
  assertEquals(taskRunList.at(-1)?.outputs.value, "11");
});

Deno.test("data that a template renders changes none of the names of the template", async () => {
  await using app = await start();
  const render = "{{ render(inputs.s, recursive=true) }}";
  await app.save(`id: names
namespace: demo
inputs: [{id: s, type: STRING}]
variables: {api: own}
tasks:
  - {id: local, type: ${CORE}debug.Return, format: "{% set url = vars.api %}${render} {{ url }}"}
  - {id: root, type: ${CORE}debug.Return, format: "{% set other = 1 %}${render} {{ vars.api }}"}
  - {id: loop, type: ${CORE}debug.Return, format: "{% for url in [vars.api] %}${render} {{ url }}{% endfor %}"}
  - {id: macro, type: ${CORE}debug.Return, format: "{% macro m(url, s) %}{{ render(s, recursive=true) }} {{ url }}{% endmacro %}{{ m(vars.api, inputs.s) }}"}
`);
  const s = "{% set url = 'evil' %}{% set vars = {'api': 'evil'} %}{{ url }}";
  const { id } = await app.start("names", { s }, "?wait=true");
  const { taskRunList } = await app.execution(id);
  const values = taskRunList.map(({ taskId, outputs: { value } }) => `${taskId}: ${value}`);
  assertEquals(values, ["local: evil own", "root: evil own", "loop: evil own", "macro: evil own"]);
});
