/** `render()` evaluates what the author of a flow wrote; texts from anywhere else are data, however they are handed on. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Harness } from "../support/harness.ts";
import { masked } from "../support/masked.ts";

const EVIL = "{{ secret('TOP') }}";
const SECRET = "hidden-value";
const CORE = "io.svc.plugin.core.";

/** Where a text may come from, and the expression that reads it. */
const SOURCES: Readonly<Record<string, string>> = {
  input: "inputs.s",
  nested_input: "inputs.j.a[0]",
  variable_set_by_a_task: "vars.replaced",
  kv_pair: "kv('k')",
  output: "outputs.returned.value",
  file: "read(outputs.written.uri)",
  label: "labels.z",
  loop_value: "outputs.each",
  printed_by_the_flow: "render(vars.greeting)",
  parsed: "fromJson(inputs.text).a",
  composed: "'{{ ' ~ inputs.call ~ ' }}'",
  composed_local: "local",
  chosen: "inputs.s ?? vars.own",
  joined: "[vars.own, inputs.s] | join",
};

/**
 * The flow uses the secret itself, with the same text: an equal text from outside must stay data all the same. The
 * tasks of each source are named `<source>_<way>`.
 */
function flowOf(): string {
  const quoted = (text: string) => JSON.stringify(text);
  const local = "{% set local = '{{ ' ~ inputs.call ~ ' }}' %}";
  const tasks = Object.entries(SOURCES).flatMap(([name, expression]) => [
    [`${name}_printed`, `${local}{{ render(vars.t_${name}) }}`],
    [`${name}_direct`, `${local}{{ render(${expression}) }}`],
    [`${name}_once`, `${local}{{ renderOnce(${expression}) }}`],
    [`${name}_in_list`, `${local}{{ render([${expression}]) }}`],
    [`${name}_recursive`, `${local}{{ render(${expression}, recursive=true) }}`],
    [
      `${name}_recursive_nested`,
      `${local}{{ render('x {{ ${expression.replaceAll("'", '"')} }}', recursive=true) }}`,
    ],
  ]).map(([id, format]) =>
    `  - {id: ${id}, type: ${CORE}debug.Return, allowFailure: true, format: ${quoted(format ?? "")}}`
  );
  const variables = Object.entries(SOURCES).map(([name, expression]) =>
    `  t_${name}: ${quoted(`{{ ${expression} }}`)}`
  );
  return `id: data
namespace: demo
inputs: [{id: s, type: STRING}, {id: j, type: JSON}, {id: text, type: STRING}, {id: call, type: STRING}]
variables:
  own: "${EVIL}"
  replaced: "author's"
  greeting: "{{ inputs.s }}"
${variables.join("\n")}
tasks:
  - {id: uses, type: ${CORE}debug.Return, runIf: "false", format: "${EVIL}"}
  - {id: returned, type: ${CORE}debug.Return, format: "{{ inputs.s }}"}
  - {id: written, type: ${CORE}storage.Write, content: "{{ inputs.s }}"}
  - {id: set, type: ${CORE}kv.Set, key: k, value: "{{ inputs.s }}"}
  - {id: labelled, type: ${CORE}execution.Labels, labels: {z: "{{ inputs.s }}"}}
  - {id: vars, type: ${CORE}execution.SetVariables, overwrite: true, variables: {replaced: "{{ inputs.s }}"}}
  - {id: loop, type: ${CORE}flow.ForEach, values: ["{{ inputs.s }}"], tasks: [{id: each, type: ${CORE}debug.Return, format: "{{ taskrun.value }}"}]}
${tasks.join("\n")}
`;
}

Deno.test("no text from outside is rendered with the secrets of the flow, from any source", async () => {
  await using app = await Harness.start({ secrets: new Map([["TOP", btoa(SECRET)]]) });
  await app.save(flowOf());
  const form = {
    s: EVIL,
    j: JSON.stringify({ a: [EVIL] }),
    text: JSON.stringify({ a: EVIL }),
    call: "secret('TOP')",
  };
  const { id } = await app.start("data", form, "?wait=true");
  const execution = await app.execution(id);
  const lines = JSON.stringify(await app.json("GET", `/logs/${id}`));
  const text = JSON.stringify(execution) + lines;
  assertEquals(text.includes(SECRET) || text.includes(masked(SECRET.length)), false, text);
  for (const { taskId, outputs, state: { current } } of execution.taskRunList) {
    if (taskId.endsWith("_printed")) assertEquals(String(outputs.value).includes("secret("), true, taskId);
    if (/_(?:direct|once|in_list)$/.test(taskId)) assertEquals(current, "WARNING", taskId);
  }
  assertStringIncludes(lines, "Cannot render a text that is not part of the flow");
  assertStringIncludes(lines, 'Cannot call \\"secret\\" in a text that is data');
});

Deno.test("render() evaluates the texts of the flow, and what expressions make of them alone, as before", async () => {
  await using app = await Harness.start({ secrets: new Map([["TOP", btoa(SECRET)]]) });
  const rows: readonly (readonly [string, string])[] = [
    ["{{ render(vars.hello) }}", "Hello {{ 1 }}"],
    ["{{ render(vars.chain) }}", "<Hello {{ 1 }}>"],
    ["{{ render(vars.map).list }}", '["Hello {{ 1 }}",2]'],
    ["{{ render(vars.nested) }}", '{"list":["Hello {{ 1 }}",2]}'],
    ["{{ render('Dear ' ~ vars.hello) }}", "Dear Hello {{ 1 }}"],
    ["{{ render(vars.hello | replace({'Hello': 'Bye'})) }}", "Bye {{ 1 }}"],
    ["{{ render(vars[inputs.key]) }}", "Hello {{ 1 }}"],
    ["{{ render(inputs.key == 'x' ? vars.hello : vars.chain) }}", "<Hello {{ 1 }}>"],
    ["{% set t = '{{ ' ~ vars.name ~ ' }}' %}{{ render(t) }}", "{{ 1 }}"],
    ["{% for t in vars.map.list %}{{ render(t) }};{% endfor %}", "Hello {{ 1 }};2;"],
    ["{% macro m(t) %}{{ render(t) }}{% endmacro %}{{ m(vars.name) }}{{ m('{{ 2 }}') }}", "inputs.s2"],
    ["{{ render(inputs.s, recursive=true) }}", "1"],
    ["{{ render(inputs.key) }}{{ render([inputs.key, 5]) }}", 'hello["hello",5]'],
    ["{{ render(vars.once) }}", "Hello {{ 1 }}"],
    ["{{ render(vars.once_data) }}", "{{ 1 }}"],
    ["{{ render(vars.secret) }}", masked(SECRET.length)],
    ["{{ render(vars.secrets) }}", `<${masked(SECRET.length)}>`],
  ];
  const tasks = rows.map(([format], index) =>
    `  - {id: t${index}, type: ${CORE}log.Log, message: ${JSON.stringify(`${index}: ${format}`)}}`
  );
  await app.save(`id: own
namespace: demo
inputs: [{id: s, type: STRING}, {id: key, type: STRING}]
variables:
  hello: "Hello {{ inputs.s }}"
  chain: "<{{ vars.hello }}>"
  map: {list: ["{{ vars.hello }}", 2]}
  nested: "{{ vars.map }}"
  name: inputs.s
  once: "{{ renderOnce(vars.hello_again) }}"
  hello_again: "{{ vars.hello }}"
  once_data: "{{ render(vars.data, recursive=false) }}"
  data: "{{ inputs.s }}"
  secret: "{{ secret('TOP') }}"
  secrets: "<{{ vars.secret }}>"
tasks:
${tasks.join("\n")}
`);
  const { id } = await app.start("own", { s: "{{ 1 }}", key: "hello" }, "?wait=true");
  const lines = await app.json("GET", `/logs/${id}`) as unknown as readonly { readonly message: string }[];
  const messages = lines.map(({ message }) => message);
  assertEquals(messages, rows.map(([, expected], index) => `${index}: ${expected}`));
});

Deno.test("render() of a webhook's call leaves its expressions alone", async () => {
  await using app = await Harness.start({ secrets: new Map([["TOP", btoa(SECRET)]]) });
  await app.save(`id: hook
namespace: demo
inputs: [{id: s, type: STRING}]
variables: {body: "{{ trigger.body.s }}{{ trigger.parameters.p[0] }}{{ trigger.headers['x-s'][0] }}"}
tasks: [{id: r, type: ${CORE}debug.Return, format: "{{ render(vars.body) }}"}]
triggers:
  - {id: w, type: ${CORE}trigger.Webhook, key: k, inputs: {s: "{{ render(vars.body) }}"}, labels: {l: "{{ render(vars.body) }}"}}
`);
  const answer = await app.request("POST", `/executions/webhook/demo/hook/k?p=${encodeURIComponent(EVIL)}`, {
    body: JSON.stringify({ s: EVIL }),
    headers: { "x-s": EVIL },
  });
  const { id } = await answer.json();
  await app.advance(1_000);
  const text = JSON.stringify(await app.execution(id));
  assertStringIncludes(text, EVIL.repeat(3));
  assertEquals(text.includes(SECRET) || text.includes(masked(SECRET.length)), false, text);
});

Deno.test("a default of an input, a condition, a loop and what a child gets render data once", async () => {
  await using app = await Harness.start({ secrets: new Map([["TOP", btoa(SECRET)]]) });
  await app.save(`id: places
namespace: demo
inputs:
  - {id: s, type: STRING}
  - {id: d, type: STRING, defaults: "{{ inputs.s }}", dependsOn: {inputs: [s]}}
variables: {v: "{{ inputs.d }}"}
pluginDefaults: [{type: ${CORE}debug.Return, values: {format: "{{ render(vars.v) }}"}}]
tasks:
  - {id: defaulted, type: ${CORE}debug.Return}
  - {id: run_if, type: ${CORE}debug.Return, runIf: "{{ render(vars.v) }}"}
  - {id: if, type: ${CORE}flow.If, condition: "{{ render(vars.v) }}", then: [{id: then, type: ${CORE}debug.Return}]}
  - {id: loop, type: ${CORE}flow.Loop, values: ["{{ render(vars.v) }}"], tasks: [{id: item, type: ${CORE}debug.Return, format: "{{ item.value }}{{ render(vars.v) }}"}]}
  - {id: each, type: ${CORE}flow.EachSequential, value: '[{{ render(vars.v) | toJson }}]', tasks: [{id: one, type: ${CORE}debug.Return, format: "{{ taskrun.value }}{{ parents }}"}]}
  - {id: keys, type: ${CORE}output.OutputValues, values: {"{{ inputs.d }}": "{{ render(vars.v) }}"}}
  - {id: fails, type: ${CORE}execution.Fail, errorMessage: "{{ render(vars.v) }}"}
errors:
  - {id: told, type: ${CORE}debug.Return, format: "{{ errorLogs() }}{{ render('{{ errorLogs() }}') }}"}
outputs: [{id: o, type: STRING, value: "{{ render(vars.v) }}"}]
`);
  const { id } = await app.start("places", { s: EVIL }, "?wait=true");
  await app.advance(1_000);
  const execution = await app.execution(id);
  const text = JSON.stringify(execution) + JSON.stringify(await app.json("GET", `/logs/${id}`));
  assertEquals(text.includes(SECRET) || text.includes(masked(SECRET.length)), false, text);
  const valueOf = (taskId: string) =>
    execution.taskRunList.find((taskRun) => taskRun.taskId === taskId)?.outputs.value;
  for (const taskId of ["defaulted", "run_if", "then"]) assertEquals(valueOf(taskId), EVIL, taskId);
  assertStringIncludes(String(valueOf("one")), EVIL);
  assertStringIncludes(String(valueOf("told")), "secret('TOP')");
});
