import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonValue } from "../../../../src/base/json.ts";
import { Harness } from "../../../support/harness.ts";
import { yaml } from "../../../support/request_bodies.ts";

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

const GRAPH_REFUSALS: readonly [string, string, string | undefined, number][] = [
  ["GET", "/flows/demo/none/graph", undefined, 404],
  ["GET", "/flows/demo/nested/graph?revision=9", undefined, 404],
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

const SOURCE_QUERIES: readonly [string, number, number][] = [
  ["?q=needle&namespace=demo", 1, 1],
  ["?q=needle&size=1&page=2", 1, 2],
  ["?q=needle&size=1&page=3", 0, 2],
  ["?q=nothing", 0, 0],
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
