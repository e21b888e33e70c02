import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { EFFECT_TYPE, Harness } from "../support/harness.ts";
import { CORE, flowOf, logOf, resultsOf, runTasks, summaryOf } from "./core_flows.ts";

/** Tasks, the expected states, and the last line of the log. */
const CASES: readonly (readonly [name: string, tasks: readonly string[], summary: string, log?: string])[] = [
  ["Fail fails without a condition", ["f execution.Fail"], "FAILED: f FAILED", "ERROR Task failure"],
  [
    "Fail fails on a condition",
    ['f execution.Fail {condition: "{{ 1 == 1 }}", errorMessage: "no {{ 1 }}"}'],
    "FAILED: f FAILED",
    "ERROR Fail on a condition",
  ],
  [
    "Fail succeeds for a false condition",
    ['f execution.Fail {condition: "{{ 1 == 2 }}"}'],
    "SUCCESS: f SUCCESS",
  ],
  [
    "Assert succeeds for true conditions",
    ['a execution.Assert {conditions: ["{{ 1 == 1 }}", "x"]}'],
    "SUCCESS: a SUCCESS",
  ],
  [
    "Assert counts the false conditions",
    ['a execution.Assert {conditions: ["{{ 1 == 2 }}", "0"], errorMessage: "so it is"}'],
    "FAILED: a FAILED",
    "ERROR 2 assertions failed!\nso it is",
  ],
  [
    "Exit ends SUCCESS by default",
    ["x execution.Exit", "l log.Log {message: a}"],
    "SUCCESS: x SUCCESS",
  ],
  [
    "Exit ends WARNING",
    ["x execution.Exit {state: WARNING}", "l log.Log {message: a}"],
    "WARNING: x WARNING",
  ],
  ["Exit ends FAILED", ["x execution.Exit {state: FAILED}", "l log.Log {message: a}"], "FAILED: x FAILED"],
  ["Exit ends KILLED", ["x execution.Exit {state: KILLED}", "l log.Log {message: a}"], "KILLED: x KILLED"],
  [
    "Exit CANCELED is CANCELLED",
    ["x execution.Exit {state: CANCELED}", "l log.Log {message: a}"],
    "CANCELLED: x CANCELLED",
  ],
  [
    "Exit refuses other states",
    ["x execution.Exit {state: \"{{ 'PAUSED' }}\"}"],
    "FAILED: x FAILED",
    'ERROR Invalid state "PAUSED": it must be one of SUCCESS, WARNING, FAILED, KILLED, CANCELED, CANCELLED',
  ],
  [
    "Labels refuses system labels",
    ["l execution.Labels {labels: {system.x: a}}"],
    "FAILED: l FAILED",
    "ERROR System labels can only be set by Kestra itself, offending label: system.x=a",
  ],
  [
    "Labels refuses an empty value",
    ['l execution.Labels {labels: [{key: a, value: ""}]}'],
    "FAILED: l FAILED",
    'ERROR Invalid label "a:": key and value must not be empty',
  ],
  [
    "SetVariables with overwrite: false fails for an existing variable",
    [
      "a execution.SetVariables {variables: {x: 1}}",
      "b execution.SetVariables {variables: {x: 2}, overwrite: false}",
    ],
    "FAILED: a SUCCESS, b FAILED",
    "ERROR `overwrite` is set to false and the following variables already exist: x",
  ],
  [
    "UnsetVariables fails for a missing variable",
    ["u execution.UnsetVariables {variables: [x, constructor]}"],
    "FAILED: u FAILED",
    "ERROR `ignoreMissing` is set to false and the following variables do not exist: x, constructor",
  ],
  [
    "UnsetVariables with ignoreMissing accepts a missing variable",
    ["u execution.UnsetVariables {variables: [x], ignoreMissing: true}"],
    "SUCCESS: u SUCCESS",
  ],
  [
    "Count needs flows or namespaces",
    ['c execution.Count {expression: "{{ true }}"}'],
    "FAILED: c FAILED",
    "ERROR You must provide a list of flows or namespaces",
  ],
  [
    "Resume needs both parts of a flow",
    ["r execution.Resume {executionId: x, namespace: demo}"],
    "FAILED: r FAILED",
    "ERROR Cannot find the execution: namespace and flowId must be given together, and with an executionId",
  ],
  [
    "Resume needs an execution",
    ["r execution.Resume"],
    "FAILED: r FAILED",
    "ERROR Cannot resume an execution: give an executionId, no other execution has started this one",
  ],
];

for (const [name, tasks, summary, log] of CASES) {
  Deno.test(`execution.${name}`, async () => {
    await using app = await Harness.start();
    const execution = await runTasks(app, tasks);
    assertEquals(summaryOf(execution), summary);
    if (log !== undefined) assertEquals((await logOf(app, execution.id)).at(-1), log);
  });
}

Deno.test("execution.Fail logs its errorMessage, and then that a condition was met", async () => {
  await using app = await Harness.start();
  const met = await runTasks(app, ['f execution.Fail {condition: "{{ 1 == 1 }}", errorMessage: why}']);
  assertEquals(await logOf(app, met.id), ["ERROR why", "ERROR Fail on a condition"]);
  const always = await app.run(flowOf("always", ["f execution.Fail {errorMessage: why}"]));
  assertEquals(await logOf(app, always.id), ["ERROR why"]);
});

Deno.test("execution.Labels merges a map, a list and a text; later tasks see them", async () => {
  await using app = await Harness.start();
  const execution = await runTasks(app, [
    'a execution.Labels {labels: {"k{{ 1 }}": "{{ 2 }}", flow: new}}',
    "b execution.Labels {labels: [{key: list, value: 3}]}",
    `c execution.Labels {labels: "{{ '{\\"json\\": \\"4\\"}' }}"}`,
    'd debug.Return {format: "{{ labels.k1 }}{{ labels.list }}{{ labels.json }}"}',
  ], "labels: {flow: old}\n");
  const labels = (execution.labels as { key: string; value: string }[]).filter(({ key }) =>
    !key.startsWith("system.")
  );
  assertEquals(labels.map(({ key, value }) => `${key}=${value}`), ["flow=new", "k1=2", "list=3", "json=4"]);
  assertEquals(resultsOf(execution).d, 'SUCCESS {"value":"234"}');
});

Deno.test("execution.SetVariables merges maps into the variables of the flow, also in parallel tasks", async () => {
  await using app = await Harness.start();
  const execution = await runTasks(app, [
    "a execution.SetVariables {variables: {x: {y: 1}, __proto__: 5}}",
    `{id: p, type: ${CORE}flow.Parallel, tasks: [{id: v1, type: ${CORE}execution.SetVariables, variables: {x: {z: 2}}}, ` +
    `{id: v2, type: ${CORE}execution.SetVariables, variables: '{"w": 3}'}]}`,
    "u execution.UnsetVariables {variables: [w]}",
    'r debug.Return {format: "{{ vars | json }}"}',
  ], "variables: {x: 0, own: kept}\n");
  assertEquals(
    resultsOf(execution).r,
    `SUCCESS ${JSON.stringify({ value: '{"x":{"y":1,"z":2},"own":"kept","__proto__":5}' })}`,
  );
});

Deno.test("execution.UnsetVariables treats a name with dots as a path, unless a variable has that name", async () => {
  await using app = await Harness.start();
  const execution = await runTasks(app, [
    "u execution.UnsetVariables {variables: [x.y, x.z.deep, a.b]}",
    'r debug.Return {format: "{{ vars | json }}"}',
    "m execution.UnsetVariables {variables: [x.gone, n.inner, x.z.constructor]}",
  ], "variables: {x: {y: 1, z: {deep: 2, kept: 3}}, a: {b: kept}, a.b: 4, n: 5}\n");
  const { r } = resultsOf(execution);
  assertEquals(r, `SUCCESS ${JSON.stringify({ value: '{"x":{"z":{"kept":3}},"a":{"b":"kept"},"n":5}' })}`);
  assertEquals(
    (await logOf(app, execution.id)).at(-1),
    "ERROR `ignoreMissing` is set to false and the following variables do not exist: x.gone, n.inner, x.z.constructor",
  );
});

Deno.test("execution.Exit KILLED interrupts running tasks, other states wait for them", async () => {
  for (const [state, end] of [["KILLED", "KILLED"], ["WARNING", "SUCCESS"]]) {
    const effect = (_properties: JsonObject, { signal }: { signal: AbortSignal }) =>
      new Promise<{ state: "SUCCESS" | "KILLED" }>((resolve) => {
        signal.addEventListener("abort", () => resolve({ state: "KILLED" }));
        void settle().then(() => settle()).then(() => resolve({ state: "SUCCESS" }));
      });
    await using app = await Harness.start({ effect });
    const execution = await runTasks(app, [
      `{id: p, type: ${CORE}flow.Parallel, tasks: [{id: e, type: ${EFFECT_TYPE}}, ` +
      `{id: x, type: ${CORE}execution.Exit, state: ${state}}, {id: l, type: ${CORE}log.Log, message: a}]}`,
    ]);
    await settle();
    const ended = await app.execution(execution.id);
    assertEquals([ended.state.current, resultsOf(ended).e], [state, end]);
  }
});

Deno.test("execution.Count counts by flow and filters by its expression", async () => {
  await using app = await Harness.start();
  for (const id of ["one", "two"]) await app.save(flowOf(id, ["l log.Log {message: a}"]));
  await app.start("one");
  await app.start("two");
  await app.start("two");
  await settle();
  const execution = await runTasks(app, [
    'n execution.Count {namespaces: [demo], states: [SUCCESS], expression: "{{ count >= 1 }}"}',
    'f execution.Count {flows: [{namespace: demo, flowId: one}], expression: "{{ count == 0 }}"}',
    `d execution.Count {namespaces: [demo], startDate: "2030-01-01T00:00:00Z", expression: "true"}`,
  ]);
  const results = resultsOf(execution);
  const two = [{ namespace: "demo", flowId: "one", count: 1 }, {
    namespace: "demo",
    flowId: "two",
    count: 2,
  }];
  assertEquals(results.n, `SUCCESS ${JSON.stringify({ results: two, total: 3 })}`);
  assertEquals(results.f, `SUCCESS ${JSON.stringify({ results: [], total: 0 })}`);
  assertStringIncludes(results.d ?? "", '"total":0');
});

Deno.test("execution.Resume resumes a paused execution with its inputs", async () => {
  await using app = await Harness.start();
  const paused = await app.run(flowOf("paused", [
    `{id: p, type: ${CORE}flow.Pause, onResume: [{id: who, type: STRING}]}`,
    'r debug.Return {format: "{{ outputs.p.onResume.who }}"}',
  ]));
  assertEquals(paused.state.current, "PAUSED");
  const resuming = await runTasks(app, [
    `r execution.Resume {executionId: ${paused.id}, namespace: demo, flowId: x, inputs: {who: me}}`,
  ]);
  assertEquals(resuming.state.current, "SUCCESS");
  await settle();
  assertEquals(resultsOf(await app.execution(paused.id)).r, 'SUCCESS {"value":"me"}');
});

Deno.test("execution.PurgeExecutions deletes ended executions, except its own", async () => {
  await using app = await Harness.start();
  const old = await app.run(
    flowOf("old", ["l log.Log {message: a}", "a execution.Assert {conditions: [x]}"]),
  );
  const other = await app.run(flowOf("other", ["l log.Log {message: a}"]));
  await app.advance(1_000);
  const end = '"{{ now() }}"';
  const parts = await runTasks(app, [
    `l execution.PurgeExecutions {namespace: demo, flowId: old, endDate: ${end}, purgeExecution: false, purgeStorage: false}`,
    `p execution.PurgeExecutions {namespace: demo, flowId: old, endDate: ${end}}`,
    `n execution.PurgeExecutions {namespace: demo, endDate: "2020-01-01"}`,
  ]);
  const counts = (executions: number, logs: number, metrics: number) =>
    `SUCCESS ${
      JSON.stringify({
        executionsCount: executions,
        logsCount: logs,
        metricsCount: metrics,
        storagesCount: 0,
      })
    }`;
  const { l, p, n } = resultsOf(parts);
  assertEquals([l, p, n], [counts(0, 1, 2), counts(1, 0, 0), counts(0, 0, 0)]);
  assertEquals((await app.request("GET", `/executions/${old.id}`)).status, 404);
  assertEquals((await app.execution(other.id)).state.current, "SUCCESS");
});
