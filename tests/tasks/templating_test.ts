import { assertEquals } from "@std/assert";
import { Harness } from "../support/harness.ts";
import { CORE, flowOf, logOf, resultsOf } from "./core_flows.ts";

const INPUTS = "inputs: [{id: x, type: STRING, defaults: a}]\n";

/** A spec, and the result or the error message. */
const SPECS: readonly (readonly [spec: string, result: string])[] = [
  [`type: ${CORE}debug.Return\\nformat: It's alive!`, `SUCCESS {"value":"It's alive!"}`],
  ["type: io.kestra.core.tasks.debugs.Return\\nformat: old", 'SUCCESS {"value":"old"}'],
  [`type: {{ '${CORE}debug' }}.Return\\nformat: {{ 1 + 1 }}`, 'SUCCESS {"value":"2"}'],
  [`type: ${CORE}debug.Return\\nformat: '{% raw %}{{ 1 }}{% endraw %}'`, 'SUCCESS {"value":"{{ 1 }}"}'],
  [`id: own\\ntype: ${CORE}output.OutputValues\\nvalues: {a: 1}`, 'SUCCESS {"values":{"a":1}}'],
  [`type: ${CORE}kv.Set\\nkey: k\\nvalue: '{% raw %}{{ 5 }}{% endraw %}'`, "SUCCESS"],
  [`type: ${CORE}debug.Return\\nformat: a\\ntimeout: PT1S\\nallowFailure: true`, 'SUCCESS {"value":"a"}'],
  [`type: ${CORE}kv.GetKeys`, 'SUCCESS {"keys":["there"]}'],
  [`type: ${CORE}flow.Pause\\ndelay: PT10S`, "The templated task must be a runnable task"],
  ...[
    `execution.Labels\\nlabels: {a: b}`,
    `execution.SetVariables\\nvariables: {a: b}`,
    `execution.UnsetVariables\\nvariables: [a]\\nignoreMissing: true`,
    "execution.Exit",
  ].map((spec) => [`type: ${CORE}${spec}`, "The templated task must be a runnable task"] as const),
  [
    `type: ${CORE}templating.TemplatedTask\\nspec: x`,
    `The templated task cannot be of type '${CORE}templating.TemplatedTask'`,
  ],
  [
    `type: ${CORE}flow.Sleep\\nduration: soon`,
    'Invalid duration "soon": it must be an ISO 8601 duration such as PT10S, or a number of seconds',
  ],
  ["type: no.such.Type", "Invalid type: no.such.Type"],
  ["just text", "The templated task must be a map with a type"],
  [`type: ${CORE}log.Log`, "The templated task has no message"],
  [`type: ${CORE}debug.Return\\nformt: a`, 'The templated task has an unrecognized field "formt"'],
];

for (const [spec, result] of SPECS) {
  Deno.test(`templating.TemplatedTask "${spec}" gives ${result}`, async () => {
    await using app = await Harness.start();
    const init = { method: "PUT", body: "1", headers: { "content-type": "application/json" } };
    await app.json("PUT", "/namespaces/demo/kv/there", init);
    const execution = await app.run(
      flowOf("templated", [`t templating.TemplatedTask {spec: "${spec}"}`], INPUTS),
    );
    const isSuccess = result.startsWith("SUCCESS");
    assertEquals(resultsOf(execution).t, isSuccess ? result : "FAILED");
    if (!isSuccess) assertEquals((await logOf(app, execution.id)).at(-1), `ERROR ${result}`);
  });
}

/** A billion values by aliases of aliases. */
const LAUGHS = Array.from(
  { length: 10 },
  (_, n) => `l${n}: &l${n} [${Array.from({ length: 9 }, () => n === 0 ? "ha" : `*l${n - 1}`).join()}]`,
).join("\n");
const TOO_MANY = "Cannot read the YAML text: The document has more than 100000 values";

for (
  const [name, task] of [
    ["templating.TemplatedTask", 't templating.TemplatedTask {spec: "{{ inputs.y }}"}'],
    ["the function yaml()", 't debug.Return {format: "{{ yaml(inputs.y) | length }}"}'],
    ["a property that is a map", 't output.OutputValues {values: "{{ inputs.y }}"}'],
  ] as const
) {
  Deno.test(`${name} refuses a document that expands to a billion values`, async () => {
    await using app = await Harness.start();
    const inputs = `inputs:\n  - id: y\n    type: STRING\n    defaults: |\n${
      LAUGHS.replace(/^/gm, "      ")
    }\n`;
    const execution = await app.run(flowOf("laughs", [task], inputs));
    assertEquals(resultsOf(execution).t, "FAILED");
    assertEquals((await logOf(app, execution.id)).some((line) => line.includes(TOO_MANY)), true);
  });
}

const SLEEP = `spec: "type: ${CORE}flow.Sleep\\nduration: PT{{ inputs.x }}0S"`;

Deno.test("templating.TemplatedTask sleeps as long as a rendered Sleep says", async () => {
  await using app = await Harness.start();
  const inputs = "inputs: [{id: x, type: STRING, defaults: '1'}]\n";
  const { id } = await app.run(flowOf("sleeps", [`t templating.TemplatedTask {${SLEEP}}`], inputs));
  await app.advance(9_999);
  assertEquals((await app.execution(id)).state.current, "RUNNING");
  await app.advance(1);
  assertEquals(resultsOf(await app.execution(id)).t, "SUCCESS");
});

Deno.test("templating.TemplatedTask stops a Sleep at a kill", async () => {
  await using app = await Harness.start();
  const inputs = "inputs: [{id: x, type: STRING, defaults: '1'}]\n";
  const { id } = await app.run(flowOf("sleeps", [`t templating.TemplatedTask {${SLEEP}}`], inputs));
  await app.json("DELETE", `/executions/${id}/kill`);
  await app.advance(1);
  assertEquals((await app.execution(id)).state.current, "KILLED");
});

Deno.test("output.OutputValues returns its values, also from a text", async () => {
  await using app = await Harness.start();
  const execution = await app.run(flowOf("values", [
    'a output.OutputValues {values: {"{{ \'k\' }}": "{{ 1 + 1 }}", deep: {list: ["{{ 3 }}"]}}}',
    `b output.OutputValues {values: '{"n": 1.50}'}`,
    "c output.OutputValues",
    'd debug.Return {format: "{{ outputs.a.values.deep.list[0] }}{{ outputs.b.values.n }}"}',
  ]));
  const { a, b, c, d } = resultsOf(execution);
  assertEquals([a, b, c, d], [
    'SUCCESS {"values":{"k":"2","deep":{"list":["3"]}}}',
    'SUCCESS {"values":{"n":1.5}}',
    "SUCCESS",
    'SUCCESS {"value":"31.5"}',
  ]);
});
