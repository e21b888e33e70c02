import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonValue } from "../../../../src/base/json.ts";
import { Harness } from "../../../support/harness.ts";
import { yaml } from "../../../support/flows/request_bodies.ts";

const RETURN = "io.svc.plugin.core.debug.Return";
const SEQUENTIAL = "io.svc.plugin.core.flow.Sequential";

const NESTED = `id: nested
namespace: demo
pluginDefaults:
  - {type: ${RETURN}, values: {format: default}}
tasks:
  - id: s
    type: ${SEQUENTIAL}
    tasks:
      - {id: a, type: ${RETURN}}
      - {id: b, type: ${RETURN}, format: "{{ inputs.x }} <needle>"}
`;

async function start(...sources: string[]): Promise<Harness> {
  const server = await Harness.start();
  for (const text of sources) await server.save(text);
  return server;
}

async function refusal(
  server: Harness,
  method: string,
  path: string,
  body?: string,
): Promise<[number, string]> {
  const response = await server.request(method, path, body === undefined ? {} : yaml(body));
  return [response.status, (await response.json()).message];
}

interface TriggerGraph {
  readonly nodes: readonly {
    readonly uid: string;
    readonly triggerDeclaration?: unknown;
    readonly trigger?: { readonly flowId: string; readonly triggerId: string; readonly disabled: boolean };
  }[];
}

interface Graph {
  readonly nodes: readonly { readonly uid: string }[];
  readonly edges: readonly { readonly source: string; readonly target: string }[];
  readonly clusters: readonly unknown[];
  readonly flowables: readonly string[];
}

Deno.test("GET /flows/:namespace/:flowId/graph returns nodes, edges, clusters and flowables", async () => {
  await using server = await start(NESTED);
  const graph = await server.json("GET", "/flows/demo/nested/graph") as unknown as Graph;
  assertEquals(graph.nodes.map(({ uid }) => uid), [
    "root.@root",
    "root.@end",
    "root.s.@root",
    "root.s.@end",
    "root.s",
    "root.s.a",
    "root.s.b",
  ]);
  assertEquals([graph.edges.length, graph.clusters.length, graph.flowables], [6, 1, ["root.s"]]);
});

Deno.test("GET /flows/:namespace/:flowId/graph draws the revision that is requested", async () => {
  await using server = await start(NESTED);
  const simple = `id: nested\nnamespace: demo\ntasks: [{id: only, type: ${RETURN}}]\n`;
  await server.json("PUT", "/flows/demo/nested", yaml(simple));
  const sizes = [];
  for (const query of ["?revision=1", "?revision=2", ""]) {
    const graph = await server.json("GET", `/flows/demo/nested/graph${query}`) as unknown as Graph;
    sizes.push(graph.nodes.length);
  }
  assertEquals(sizes, [7, 3, 3]);
});

Deno.test("POST /flows/graph draws a source that is not saved", async () => {
  await using server = await start();
  const graph = await server.json("POST", "/flows/graph", yaml(NESTED)) as unknown as Graph;
  assertEquals(graph.nodes.length, 7);
  assertEquals((await refusal(server, "GET", "/flows/demo/nested"))[0], 404);
});

Deno.test("GET graphs of flows and executions show the states of triggers, also of flows in their places", async () => {
  const scheduled = (id: string, task: string, trigger = "t") =>
    `id: ${id}\nnamespace: demo\ntasks: [${task}]\n` +
    `triggers: [{id: ${trigger}, type: io.svc.plugin.core.trigger.Schedule, cron: "0 9 * * *"}]\n`;
  const call = "{id: call, type: io.svc.plugin.core.flow.Subflow, namespace: demo, flowId: leaf}";
  await using server = await start(scheduled("leaf", `{id: a, type: ${RETURN}}`), scheduled("top", call));
  const key = { namespace: "demo", flowId: "leaf", triggerId: "t", disabled: true };
  await server.json("PUT", "/triggers/set-disabled", { body: JSON.stringify(key) });
  const { id } = await server.start("top");
  const shown = async (method: string, path: string, init?: RequestInit) => {
    const { nodes } = await server.json(method, path, init) as unknown as TriggerGraph;
    return Object.fromEntries(
      nodes.flatMap(({ uid, triggerDeclaration, trigger }) =>
        triggerDeclaration ? [[uid, trigger && [trigger.flowId, trigger.triggerId, trigger.disabled]]] : []
      ),
    );
  };
  const both = {
    "root.Triggers.t": ["top", "t", false],
    "root.call.Triggers.t": ["leaf", "t", true],
  };
  assertEquals(await shown("GET", "/flows/demo/leaf/graph"), { "root.Triggers.t": ["leaf", "t", true] });
  assertEquals(await shown("GET", "/flows/demo/top/graph?subflows=root.call"), both);
  assertEquals(await shown("GET", `/executions/${id}/graph?subflows=root.call`), both);
  assertEquals(await shown("POST", "/flows/graph", yaml(scheduled("leaf", `{id: a, type: ${RETURN}}`))), {
    "root.Triggers.t": undefined,
  });
});

const UNKNOWN_GRAPHS: readonly (readonly [path: string, message: string])[] = [
  ["none/graph", 'Not Found: Unable to find flow demo_none: flow "demo.none" does not exist'],
  [
    "nested/graph?revision=9",
    'Not Found: Unable to find flow demo_nested_9: flow "demo.nested" has no revision 9',
  ],
];
for (const [path, message] of UNKNOWN_GRAPHS) {
  Deno.test(`GET /flows/demo/${path} says which flow it does not find`, async () => {
    await using server = await start(NESTED);
    assertEquals(await refusal(server, "GET", `/flows/demo/${path}`), [404, message]);
  });
}

const GRAPH_REFUSALS: readonly [string, string, string | undefined, number][] = [
  ["POST", "/flows/graph", "id: x\n", 422],
  ["POST", "/flows/graph", "a: [", 422],
  ["GET", `/flows/demo/nested/graph?subflows=${"root.a,".repeat(101)}`, undefined, 400],
];
for (const [method, path, body, status] of GRAPH_REFUSALS) {
  Deno.test(`${method} ${path.slice(0, 60)} returns ${status}`, async () => {
    await using server = await start(NESTED);
    assertEquals((await refusal(server, method, path, body))[0], status);
  });
}

Deno.test("GET /flows/:namespace/:flowId/graph?subflows= draws other flows in their places, one within the other", async () => {
  const caller = (id: string, target: string) =>
    `id: ${id}\nnamespace: demo\ntasks: [{id: call, type: io.svc.plugin.core.flow.Subflow, namespace: demo, flowId: ${target}}]\n`;
  await using server = await start(`id: leaf\nnamespace: demo\ntasks: [{id: only, type: ${RETURN}}]\n`);
  await server.save(caller("middle", "leaf"));
  await server.save(caller("top", "middle"));
  const sizes: number[] = [];
  for (
    const subflows of ["", "root.call", "root.call.call,root.call", "root.call.call", "root.none,other.call"]
  ) {
    const graph = await server.json("GET", `/flows/demo/top/graph?subflows=${subflows}`) as unknown as Graph;
    sizes.push(graph.nodes.length);
  }
  assertEquals(sizes, [3, 6, 9, 3, 3]);
});

Deno.test("GET /flows/:namespace/:flowId/graph?subflows= of a flow that is an expression returns 422", async () => {
  const call =
    "{id: call, type: io.svc.plugin.core.flow.Subflow, namespace: demo, flowId: '{{ inputs.flow }}'}";
  await using server = await start(`id: top\nnamespace: demo\ntasks: [${call}]\n`);
  const [status, message] = await refusal(server, "GET", "/flows/demo/top/graph?subflows=root.call");
  assertEquals(status, 422);
  assertStringIncludes(String(message), "Can't expand subflow task 'call'");
});

Deno.test("GET /executions/:id/graph?subflows= draws the flow that a task started, if its id is an expression", async () => {
  const call =
    "{id: call, type: io.svc.plugin.core.flow.Subflow, namespace: demo, flowId: '{{ inputs.flow }}'}";
  await using server = await start(`id: leaf\nnamespace: demo\ntasks: [{id: only, type: ${RETURN}}]\n`);
  const { id } = await server.run(
    `id: top\nnamespace: demo\ninputs: [{id: flow, type: STRING}]\ntasks: [${call}]\n`,
    { flow: "leaf" },
  );
  const graph = await server.json("GET", `/executions/${id}/graph?subflows=root.call`) as unknown as Graph;
  assertEquals(graph.nodes.filter(({ uid }) => uid === "root.call.only").length, 1);
  const absent = await server.run(
    "id: top2\nnamespace: demo\ntasks: [{id: wait, type: " +
      `io.svc.plugin.core.flow.Pause}, ${call}]\ninputs: [{id: flow, type: STRING}]\n`,
    { flow: "leaf" },
  );
  const before = await server.json(
    "GET",
    `/executions/${absent.id}/graph?subflows=root.call`,
  ) as unknown as Graph;
  assertEquals(before.nodes.length, 4);
});

Deno.test("GET /flows/:namespace/:flowId/dependencies returns the flows connected with one", async () => {
  await using server = await start(`id: b\nnamespace: demo.sub\ntasks: [{id: t, type: ${RETURN}}]\n`);
  await server.save(
    "id: a\nnamespace: demo\ntasks: [{id: s, type: io.svc.plugin.core.flow.Subflow, namespace: demo.sub, flowId: b}]\n",
  );
  const expected = {
    nodes: [{ uid: "demo.sub/b", namespace: "demo.sub", id: "b" }, {
      uid: "demo/a",
      namespace: "demo",
      id: "a",
    }],
    edges: [{ source: "demo/a", target: "demo.sub/b", relation: "FLOW_TASK" }],
  };
  const ofFlow = await server.json("GET", "/flows/demo.sub/b/dependencies");
  assertEquals(ofFlow as unknown, expected);
  const none = await server.json("GET", "/flows/demo.sub/b/dependencies?destinationOnly=true");
  assertEquals(none as unknown, { nodes: [expected.nodes[0]], edges: [] });
  for (
    const path of ["/namespaces/demo.sub/dependencies", "/namespaces/demo/dependencies", "/dependencies"]
  ) {
    const { nodes, edges } = await server.json("GET", path) as unknown as typeof expected;
    assertEquals([nodes.length, edges], [2, expected.edges], path);
  }
  assertEquals((await refusal(server, "GET", "/flows/demo/none/dependencies"))[0], 404);
});

Deno.test("GET /flows/:namespace/:flowId/tasks/:taskId returns a task as it was written, at any depth", async () => {
  await using server = await start(NESTED);
  assertEquals(await server.json("GET", "/flows/demo/nested/tasks/a") as unknown, { id: "a", type: RETURN });
  const task = await server.json("GET", "/flows/demo/nested/tasks/s?revision=1") as { tasks: unknown[] };
  assertEquals(task.tasks.length, 2);
  assertEquals(await refusal(server, "GET", "/flows/demo/nested/tasks/none"), [
    404,
    'Not Found: flow "demo.nested" has no task "none"',
  ]);
  assertEquals((await refusal(server, "GET", "/flows/demo/none/tasks/a"))[0], 404);
  assertEquals((await refusal(server, "GET", "/flows/demo/nested/tasks/a?revision=7"))[0], 404);
});

Deno.test("GET /flows/deprecated returns the flows with tasks of deprecated types", async () => {
  await using server = await start(NESTED);
  await server.save(
    `id: old\nnamespace: demo.sub\ntasks: [{id: e, type: io.svc.plugin.core.flow.EachSequential, value: "[1]", tasks: [{id: t, type: ${RETURN}}]}]\n`,
  );
  const expected = [{ namespace: "demo.sub", flowId: "old", revision: 1, deprecatedTasks: ["e"] }];
  for (const query of ["", "?namespace=demo", "?namespace=demo.sub"]) {
    assertEquals(await server.json("GET", `/flows/deprecated${query}`) as unknown, expected);
  }
  assertEquals(await server.json("GET", "/flows/deprecated?namespace=away"), []);
});

Deno.test("POST /flows/expressions returns names that a task may use", async () => {
  await using server = await start();
  const post = (query: string) => server.json("POST", `/flows/expressions${query}`, yaml(NESTED));
  const { outputs } = await post("?taskId=b") as Record<string, JsonValue>;
  assertEquals(outputs as unknown, ["outputs.a.value"]);
  assertEquals((await refusal(server, "POST", "/flows/expressions?taskId=none", NESTED))[0], 404);
  assertEquals((await refusal(server, "POST", "/flows/expressions", "a: ["))[0], 422);
});

interface Found {
  readonly results: readonly {
    readonly model: { readonly id: string };
    readonly fragments: readonly string[];
  }[];
  readonly total: number;
}

Deno.test("GET /flows/source finds text in sources, marked and escaped", async () => {
  await using server = await start(
    NESTED,
    `id: other\nnamespace: away\ntasks: [{id: Needle, type: ${RETURN}}]\n`,
  );
  const found = await server.json("GET", "/flows/source?q=NEEDLE") as unknown as Found;
  assertEquals([found.total, found.results.map(({ model }) => model.id)], [2, ["other", "nested"]]);
  assertStringIncludes(found.results[1]?.fragments[0] ?? "", "&lt;[mark]needle[/mark]&gt;");
  assertStringIncludes(found.results[0]?.fragments[0] ?? "", "[mark]Needle[/mark]");
});

Deno.test("GET /flows/source takes twenty words", async () => {
  await using server = await start();
  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join("+");
  const statuses = [20, 21].map(async (count) =>
    (await server.request("GET", `/flows/source?q=${words(count)}`)).status
  );
  assertEquals(await Promise.all(statuses), [200, 400]);
});

Deno.test("GET /flows/source shows lines with the whole text, otherwise those with a word, in the order of sort", async () => {
  await using server = await start(
    `id: a\nnamespace: demo\ntasks: [{id: x, type: ${RETURN}, format: one two}]\n`,
    `id: b\nnamespace: demo\ndescription: two\ntasks: [{id: y, type: ${RETURN}, format: one}]\n`,
  );
  const found = await server.json("GET", "/flows/source?q=one%20two&sort=id:desc") as unknown as Found;
  assertEquals(found.results.map(({ fragments }) => fragments), [
    ["description: [mark]two[/mark]", `tasks: [{id: y, type: ${RETURN}, format: [mark]one[/mark]}]`],
    [`tasks: [{id: x, type: ${RETURN}, format: [mark]one two[/mark]}]`],
  ]);
});

Deno.test("GET /flows/source escapes the characters of HTML elements only", async () => {
  await using server = await start(
    `id: quoted\nnamespace: demo\ntasks: [{id: a, type: ${RETURN}, format: "'<&>'"}]\n`,
  );
  const found = await server.json("GET", "/flows/source?q=format") as unknown as Found;
  assertStringIncludes(found.results[0]?.fragments[0] ?? "", `[mark]format[/mark]: "'&lt;&amp;&gt;'"}`);
});

const SOURCE_QUERIES: readonly [string, number, number][] = [
  ["?q=needle&namespace=demo", 1, 1],
  ["?q=needle&size=1&page=2", 1, 2],
  ["?q=needle&size=1&page=3", 0, 2],
  ["?q=nothing", 0, 0],
  ["?q=*", 2, 2],
  ["?q=tasks%20needle", 2, 2],
  ["?q=needle%20away", 1, 1],
  ["?q=needle%20nothing", 0, 0],
  ["?q=%3A%20%5B%7B", 1, 1],
  ["?q=%7D%7D%7D", 0, 0],
  ["", 2, 2],
];
for (const [query, length, total] of SOURCE_QUERIES) {
  Deno.test(`GET /flows/source${query} returns ${length} of ${total}`, async () => {
    await using server = await start(
      NESTED,
      `id: other\nnamespace: away\ntasks: [{id: Needle, type: ${RETURN}}]\n`,
    );
    const found = await server.json("GET", `/flows/source${query}`) as unknown as Found;
    assertEquals([found.results.length, found.total], [length, total]);
  });
}

Deno.test("POST /flows/validate/task reports what is wrong with one task", async () => {
  await using server = await start();
  const check = async (path: string, body: string) =>
    (await server.json("POST", path, yaml(body)) as { constraints?: string }).constraints;
  assertEquals(await check("/flows/validate/task?section=TASKS", `{id: a, type: ${RETURN}}`), undefined);
  assertStringIncludes(
    await check("/flows/validate/task", `{id: a, type: ${RETURN}, unknownProp: 1}`) ?? "",
    'Unrecognized field "unknownProp"',
  );
  assertStringIncludes(
    await check("/flows/validate/task?section=errors", "{id: a, type: no.Such}") ?? "",
    "Invalid type: no.Such",
  );
  assertStringIncludes(await check("/flows/validate/task", "a: [") ?? "", "Illegal flow yaml");
  assertStringIncludes(
    await check("/flows/validate/trigger", "{id: a, type: no.Such}") ?? "",
    "Invalid type: no.Such",
  );
  const webhook = "{id: w, type: io.svc.plugin.core.trigger.Webhook, key: k}";
  assertEquals(await check("/flows/validate/trigger", webhook), undefined);
  assertEquals(await check("/flows/validate/task?section=TRIGGERS", webhook), undefined);
  assertEquals((await refusal(server, "POST", "/flows/validate/task?section=x", webhook))[0], 400);
});

Deno.test("POST /flows/validate takes the documents of a form", async () => {
  await using server = await start();
  const body = new FormData();
  body.append("flows", new File([NESTED], "a.yml"));
  body.append("flows", "id: x");
  const checks = await server.json("POST", "/flows/validate", { body }) as unknown as {
    constraints?: string;
  }[];
  assertEquals(checks.map(({ constraints }) => constraints === undefined), [true, false]);
});

Deno.test("GET /executions/:id/flow and graph return the revision that ran, deleted or not", async () => {
  await using server = await start(NESTED);
  const { id } = await server.start("nested", {});
  await server.json("PUT", "/flows/demo/nested", yaml(NESTED.replace("- {id: a,", "- {id: z,")));
  await server.json("DELETE", "/flows/demo/nested");
  const flow = await server.json("GET", `/executions/${id}/flow`) as Record<string, JsonValue>;
  assertEquals([flow.id, flow.revision, flow.deleted, flow.source], ["nested", 1, false, undefined]);
  const graph = await server.json("GET", `/executions/${id}/graph`) as unknown as Graph;
  assertEquals(graph.nodes.some(({ uid }) => uid === "root.s.a"), true);
  for (const path of ["/executions/none/flow", "/executions/none/graph"]) {
    assertEquals((await refusal(server, "GET", path))[0], 404);
  }
});

Deno.test("GET /executions/namespaces and below return the flows that can be started", async () => {
  const other = (id: string, namespace: string, more = "") =>
    `id: ${id}\nnamespace: ${namespace}\n${more}tasks: [{id: t, type: ${RETURN}}]\n`;
  await using server = await start(
    NESTED,
    other("off", "away", "disabled: true\n"),
    other("on", "near"),
    other("off2", "near", "disabled: true\n"),
  );
  assertEquals(await server.json("GET", "/executions/namespaces"), ["demo", "near"]);
  const found = await server.json("GET", "/executions/namespaces/near/flows") as unknown as { id: string }[];
  assertEquals(found.map(({ id }) => id), ["on"]);
  assertEquals(await server.json("GET", "/executions/namespaces/none/flows"), []);
  const flow = await server.json("GET", "/executions/flows/demo/nested?revision=1") as Record<
    string,
    JsonValue
  >;
  assertEquals([flow.id, flow.revision], ["nested", 1]);
  assertEquals((await refusal(server, "GET", "/executions/flows/demo/nested?revision=2"))[0], 404);
});

interface RunGraph {
  readonly nodes: readonly {
    uid: string;
    taskRun?: { value?: string; state: { current: string; duration: unknown } };
  }[];
  readonly edges: readonly {
    source: string;
    target: string;
    relation: { relationType?: string; value?: string };
  }[];
  readonly clusters: readonly { cluster: { uid: string }; nodes: string[]; parents: string[] }[];
}

/** The graph of a new execution of a flow. */
async function runGraph(server: Harness, source: string, query = ""): Promise<RunGraph> {
  const { id } = await server.run(source);
  return await server.json("GET", `/executions/${id}/graph${query}`) as unknown as RunGraph;
}

const CLUSTERS = "?valueClusters=true";

/** Edges that have a value, as `source value target`. */
function valueEdges({ edges }: RunGraph): string[] {
  const values = edges.filter(({ relation }) => relation.value !== undefined);
  return values.map(({ source, target, relation }) => `${source} ${relation.value} ${target}`);
}

/** Checks that uids are unique, and that each end of an edge is a node. */
function assertSound({ nodes, edges }: RunGraph): void {
  const uids = new Set(nodes.map(({ uid }) => uid));
  assertEquals(uids.size, nodes.length);
  for (const { source, target } of edges) assertEquals([uids.has(source), uids.has(target)], [true, true]);
}

function forEach(more = ""): string {
  return `id: loop
namespace: demo
tasks:
  - {id: first, type: ${RETURN}, format: a}
  - id: each
    type: io.svc.plugin.core.flow.ForEach
    values: ["x", "y"]
${more}    tasks:
      - id: s
        type: ${SEQUENTIAL}
        tasks: [{id: inner, type: ${RETURN}, format: "{{ parent.taskrun.value }}"}]
      - {id: z, type: ${RETURN}, format: "{{ taskrun.value }}"}
  - {id: last, type: io.svc.plugin.core.flow.Sleep, duration: PT1M}
`;
}

Deno.test("GET /executions/:id/graph shows each task of a ForEach once for each value", async () => {
  await using server = await start();
  const graph = await runGraph(server, forEach());
  const runs = graph.nodes.filter(({ taskRun }) => taskRun).map(({ uid, taskRun }) =>
    `${uid} ${taskRun?.state.current}`
  );
  assertEquals(runs, [
    "root.first SUCCESS",
    "root.each SUCCESS",
    "root.each.s_x SUCCESS",
    "root.each.s.inner_x SUCCESS",
    "root.each.s_y SUCCESS",
    "root.each.s.inner_y SUCCESS",
    "root.each.z_x SUCCESS",
    "root.each.z_y SUCCESS",
    "root.last RUNNING",
  ]);
  assertEquals(valueEdges(graph), [
    "root.each x root.each.s_x.@root",
    "root.each.s_x.@end y root.each.s_y.@root",
    "root.each.s_y.@end x root.each.z_x",
    "root.each.z_x y root.each.z_y",
  ]);
  assertEquals(graph.clusters.map(({ cluster, parents }) => [cluster.uid, ...parents].join(" ")), [
    "cluster_root.each",
    "cluster_root.each.s_x cluster_root.each",
    "cluster_root.each.s_y cluster_root.each",
  ]);
  assertSound(graph);
});

Deno.test("GET /executions/:id/graph has one node for a task of a ForEach that has not begun", async () => {
  await using server = await start();
  const graph = await runGraph(server, forEach().replace("parent.taskrun.value", "missing"));
  assertEquals(valueEdges(graph), ["root.each x root.each.s_x.@root"]);
  const ofZ = graph.edges.filter(({ source, target }) => [source, target].some((uid) => uid.includes(".z")));
  assertEquals(ofZ.map(({ source, target }) => `${source} ${target}`), [
    "root.each.s_x.@end root.each.z",
    "root.each.z root.each.@end",
  ]);
  assertSound(graph);
});

Deno.test("GET /executions/:id/graph has different nodes for values that begin alike, and for values of loops in loops", async () => {
  await using server = await start();
  const loop = (id: string, values: string, tasks: string) =>
    `{id: ${id}, type: io.svc.plugin.core.flow.ForEach, values: ${values}, tasks: [${tasks}]}`;
  const inner = loop("inner", '["a", "b"]', `{id: r, type: ${RETURN}}`);
  const long = "x".repeat(200);
  const values = JSON.stringify([`${long}1`, `${long}2`]);
  const graph = await runGraph(
    server,
    `id: alike\nnamespace: demo\ntasks: [${loop("each", values, inner)}]\n`,
  );
  assertSound(graph);
  assertEquals(graph.nodes.map(({ uid }) => uid.replace(long, "x")).filter((uid) => uid.includes(".r_")), [
    "root.each.inner.r_x_a",
    "root.each.inner.r_x_b",
    "root.each.inner.r_x@1_a",
    "root.each.inner.r_x@1_b",
  ]);
});

Deno.test("GET /executions/:id/graph with valueClusters has a cluster and a path for each value of a ForEach", async () => {
  await using server = await start();
  const graph = await runGraph(server, forEach(), CLUSTERS);
  const { nodes, clusters } = graph;
  const runs = nodes.filter(({ taskRun }) => taskRun).map(({ uid, taskRun }) =>
    `${uid} ${taskRun?.state.current}`
  );
  assertEquals(runs.sort(), [
    "root.each SUCCESS",
    "root.each@0.s SUCCESS",
    "root.each@0.s.inner SUCCESS",
    "root.each@0.z SUCCESS",
    "root.each@1.s SUCCESS",
    "root.each@1.s.inner SUCCESS",
    "root.each@1.z SUCCESS",
    "root.first SUCCESS",
    "root.last RUNNING",
  ]);
  assertEquals(nodes.filter(({ uid }) => uid.endsWith(".z")).map(({ taskRun }) => taskRun?.value), [
    "x",
    "y",
  ]);
  assertEquals(valueEdges(graph), [
    "root.each x root.each@0.@root",
    "root.each@0.@end y root.each@1.@root",
  ]);
  assertEquals(clusters.map(({ cluster, parents }) => [cluster.uid, ...parents].join(" ")), [
    "cluster_root.each",
    "cluster_root.each@0 cluster_root.each",
    "cluster_root.each@0.s cluster_root.each cluster_root.each@0",
    "cluster_root.each@1 cluster_root.each",
    "cluster_root.each@1.s cluster_root.each cluster_root.each@1",
  ]);
  assertSound(graph);
});

Deno.test("GET /executions/:id/graph shows the task runs of the parts of a ForEachItem", async () => {
  await using server = await start(`id: leaf\nnamespace: demo\ntasks: [{id: only, type: ${RETURN}}]\n`);
  const { nodes, edges, clusters } = await runGraph(
    server,
    `id: batches
namespace: demo
tasks:
  - {id: file, type: io.svc.plugin.core.storage.Write, content: "a\\nb", extension: .txt}
  - id: each
    type: io.svc.plugin.core.flow.ForEachItem
    items: "{{ outputs.file.uri }}"
    namespace: demo
    flowId: leaf
`,
  );
  const runs = nodes.flatMap(({ uid, taskRun }) => taskRun ? [`${uid} ${taskRun.state.current}`] : []);
  assertEquals(runs, [
    "root.file SUCCESS",
    "root.each SUCCESS",
    "root.each.each_split SUCCESS",
    "root.each.each_items SUCCESS",
    "root.each.each_merge SUCCESS",
  ]);
  assertEquals([nodes.length, edges.length, clusters.length], [9, 8, 1]);
});

Deno.test("GET /executions/:id/graph draws values that run at the same time beside each other", async () => {
  await using server = await start();
  const source = forEach("    concurrencyLimit: 0\n");
  const endsOf = ({ edges }: RunGraph) =>
    edges.filter(({ target }) => target === "root.each.@end").map(({ source }) => source);
  const graph = await runGraph(server, source);
  assertEquals(valueEdges(graph), [
    "root.each x root.each.s_x.@root",
    "root.each y root.each.s_y.@root",
    "root.each x root.each.z_x",
    "root.each y root.each.z_y",
  ]);
  assertEquals(endsOf(graph), ["root.each.s_x.@end", "root.each.s_y.@end", "root.each.z_x", "root.each.z_y"]);
  const clusters = await runGraph(server, source.replace("id: loop", "id: clusters"), CLUSTERS);
  assertEquals(valueEdges(clusters), ["root.each x root.each@0.@root", "root.each y root.each@1.@root"]);
  assertEquals(endsOf(clusters), ["root.each@0.@end", "root.each@1.@end"]);
});

Deno.test("GET /executions/:id/graph draws a ForEach that has not begun like the one of the flow", async () => {
  await using server = await start();
  const source = forEach().replace("format: a}", 'format: "{{ missing }}"}');
  const graph = await runGraph(server, source);
  const flow = await server.json("GET", "/flows/demo/loop/graph") as unknown as Graph;
  assertEquals(graph.nodes.map(({ uid }) => uid), flow.nodes.map(({ uid }) => uid));
  assertEquals(graph.nodes.filter(({ taskRun }) => taskRun).map(({ uid }) => uid), ["root.first"]);
});

Deno.test("GET /executions/:id/graph writes the durations of task runs as the request asks", async () => {
  await using server = await start();
  const { id } = await server.run(forEach());
  const headers = { accept: "application/json;durations=iso" };
  const graph = await server.json("GET", `/executions/${id}/graph`, { headers }) as unknown as RunGraph;
  const first = graph.nodes.find(({ uid }) => uid === "root.first");
  assertEquals(first?.taskRun?.state.duration, "PT0S");
});

Deno.test("GET /executions/:id/graph draws 500 values, and says how many it leaves out", async () => {
  await using server = await start();
  const values = JSON.stringify(Array.from({ length: 520 }, (_, index) => String(index)));
  const { nodes } = await runGraph(
    server,
    `id: many\nnamespace: demo\ntasks:\n  - id: each\n    type: io.svc.plugin.core.flow.ForEach\n` +
      `    values: '${values}'\n    tasks: [{id: a, type: ${RETURN}, format: a}]\n`,
  );
  const each = nodes.find(({ uid }) => uid === "root.each") as unknown as { hiddenValues: number };
  assertEquals([nodes.filter(({ uid }) => uid.includes(".a_")).length, each.hiddenValues], [500, 20]);
});

Deno.test("GET /executions/:id/flow shows the inputs of each Pause as forms read them", async () => {
  await using server = await start();
  const pause = (id: string, type: string) =>
    `{id: ${id}, type: ${type}, onResume: [{id: reason, type: STRING}]}`;
  const { id } = await server.run(
    `id: asks\nnamespace: demo\ntasks:\n  - id: s\n    type: ${SEQUENTIAL}\n    tasks:\n` +
      `      - ${pause("a", "io.kestra.plugin.core.flow.Pause")}\n  - ${
        pause("b", "io.svc.core.tasks.flows.Pause")
      }\n` +
      "  - {id: c, type: io.svc.plugin.core.flow.Pause}\n",
  );
  const { tasks: [s, b, c] } = await server.json("GET", `/executions/${id}/flow`) as unknown as {
    tasks: { inputs?: unknown; onResume?: unknown; tasks?: { inputs?: unknown }[] }[];
  };
  const inputs = [{ id: "reason", type: "STRING" }];
  assertEquals([s?.inputs, s?.tasks?.[0]?.inputs, b?.inputs, b?.onResume, c?.inputs], [
    ...[undefined, inputs, inputs, undefined, undefined],
  ]);
  const { tasks: [, stored] } = await server.json("GET", "/flows/demo/asks") as unknown as {
    tasks: { inputs?: unknown }[];
  };
  assertEquals(stored?.inputs, undefined);
});

/** What the outline of a flow leaves out has the word "hidden". */
const DETAILED = `id: detailed
namespace: demo
description: shown
labels: {team: a}
inputs: [{id: x, type: STRING, required: false}]
variables: {a: hidden}
tasks:
  - {id: say, type: ${RETURN}, format: hidden}
  - id: choice
    type: io.svc.plugin.core.flow.Switch
    value: hidden
    cases: {a: [{id: a, type: ${RETURN}, format: hidden}], b: [{id: b, type: ${RETURN}}]}
    errors: [{id: e, type: ${RETURN}, format: hidden}]
  - id: dag
    type: io.svc.plugin.core.flow.Dag
    tasks: [{task: {id: first, type: ${RETURN}, format: hidden}}]
  - {id: call, type: io.svc.plugin.core.flow.Subflow, namespace: demo, flowId: nested, revision: 1, inputs: {x: hidden}}
  - {id: each, type: io.svc.plugin.core.flow.ForEachItem, items: hidden, namespace: demo, flowId: nested, inputs: {x: hidden}}
errors: [{id: last, type: ${RETURN}, format: hidden}]
triggers: [{id: hook, type: io.svc.plugin.core.trigger.Webhook, key: hidden-key}]
`;

Deno.test("GET /executions/:id/flow and flows to start show of tasks and triggers what they are, not what they do", async () => {
  await using server = await start(NESTED, DETAILED);
  const { id } = await server.start("detailed", {});
  const outline = await server.json("GET", `/executions/${id}/flow`) as Record<string, JsonValue>;
  const task = (id: string) => ({ id, type: RETURN });
  const { tasks, errors, triggers, ...rest } = outline;
  assertEquals(tasks as unknown, [
    task("say"),
    { id: "choice", type: "io.svc.plugin.core.flow.Switch", tasks: ["a", "b", "e"].map(task) },
    { id: "dag", type: "io.svc.plugin.core.flow.Dag", tasks: [task("first")] },
    {
      id: "call",
      type: "io.svc.plugin.core.flow.Subflow",
      subflowId: { namespace: "demo", flowId: "nested", revision: 1 },
    },
    {
      id: "each",
      type: "io.svc.plugin.core.flow.ForEachItem",
      subflowId: { namespace: "demo", flowId: "nested" },
    },
  ]);
  assertEquals(errors as unknown, [task("last")]);
  assertEquals(triggers as unknown, [{ id: "hook", type: "io.svc.plugin.core.trigger.Webhook" }]);
  assertEquals(JSON.stringify(rest).includes("hidden"), false);
  assertEquals([rest.description, rest.labels as unknown], ["shown", [{ key: "team", value: "a" }]]);
  assertEquals(await server.json("GET", "/executions/flows/demo/detailed"), outline);
  const listed = await server.json("GET", "/executions/namespaces/demo/flows") as unknown as { id: string }[];
  assertEquals(listed.find(({ id }) => id === "detailed") as unknown, outline);
  const { triggers: none } = await server.json("GET", "/executions/flows/demo/nested") as Record<
    string,
    JsonValue
  >;
  assertEquals(none as unknown, []);
});
