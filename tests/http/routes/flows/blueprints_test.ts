import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Harness, type PageResponse } from "../../../support/harness.ts";

interface Item {
  readonly id: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly includedTasks: readonly string[];
  readonly publishedAt: string;
}

const LISTS: readonly (readonly [path: string, ids: readonly string[], total: number])[] = [
  ["/flow?size=2", ["hello-world", "paginated-import"], 13],
  ["/FLOW?size=2&page=7", ["executions", "retry-and-alert"].slice(1), 13],
  ["?size=1", ["hello-world"], 13],
  ["/flow?q=Approval", ["approval"], 1],
  ["/flow?q=kv%20get", ["state-between-runs"], 1],
  ["/flow?tags=scripts", ["script-with-metrics", "namespace-files"], 2],
  ["/flow?tags=scripts&tags=people&sort=id:asc", ["approval", "namespace-files", "script-with-metrics"], 3],
  ["/flow?filters[tags][IN]=people,triggers&filters[q][EQUALS]=backfill", ["hourly-report"], 1],
  ["/flow?tags=monitoring&sort=title:desc", ["retry-and-alert", "parallel-with-alert"], 2],
  ["/flow?q=nothing-has-this", [], 0],
  ["/dashboard", ["executions-overview"], 1],
  ["/app", [], 0],
];
for (const [path, ids, total] of LISTS) {
  Deno.test(`GET /blueprints/community${path} lists ${ids.join(", ") || "nothing"}`, async () => {
    await using app = await Harness.start();
    const page = await app.page<Item>(`/blueprints/community${path}`);
    assertEquals([page.results.map(({ id }) => id), page.total], [ids, total]);
  });
}

Deno.test("GET /blueprints/community/flow gives what lists show", async () => {
  await using app = await Harness.start();
  const { results } = await app.page<Item>("/blueprints/community/flow?q=hello-world&size=1");
  assertEquals(results, [{
    id: "hello-world",
    title: "Hello world",
    description: "The smallest flow that is useful: an input, a rendered text, a log line and an output.",
    includedTasks: ["io.svc.plugin.core.debug.Return", "io.svc.plugin.core.log.Log"],
    tags: ["getting-started"],
    publishedAt: "2026-11-22T00:00:00.000Z",
  }] as unknown as Item[]);
});

Deno.test("GET /blueprints/community/{kind}/tags lists the tags that its templates have", async () => {
  await using app = await Harness.start();
  const tags = await app.json("GET", "/blueprints/community/flow/tags") as { id: string; name: string }[];
  const { results } = await app.page<Item>("/blueprints/community/flow?size=100");
  assertEquals(tags.map(({ id }) => id).sort(), [...new Set(results.flatMap((item) => item.tags))].sort());
  assertEquals(tags.find(({ id }) => id === "api")?.name, "APIs and HTTP");
  assertEquals(await app.json("GET", "/blueprints/community/tags"), tags);
  const few = await app.json("GET", "/blueprints/community/flow/tags?q=approval") as { id: string }[];
  assertEquals(few.map(({ id }) => id), ["people", "control-flow"]);
});

Deno.test("a template is found in the forms of both generations of front ends", async () => {
  await using app = await Harness.start();
  const base = "/blueprints/community";
  const one = await app.json("GET", `${base}/flow/approval`) as Record<string, string>;
  assertEquals(await app.json("GET", `${base}/approval`), one);
  assertEquals([one.kind, one.flow], ["FLOW", one.source]);
  for (const path of ["flow/approval/source", "approval/source", "approval/flow"]) {
    const response = await app.request("GET", `${base}/${path}`);
    assertEquals(response.headers.get("content-type"), "application/yaml; charset=utf-8");
    assertEquals(await response.text(), one.source);
  }
  for (const path of ["flow/approval/graph", "approval/graph"]) {
    const graph = await app.json("GET", `${base}/${path}`) as { nodes: { uid: string }[] };
    assert(graph.nodes.some(({ uid }) => uid === "root.decide"), path);
  }
  const dashboard = await app.json("GET", `${base}/dashboard/executions-overview`) as Record<string, string>;
  assertEquals([dashboard.kind, dashboard.flow], ["DASHBOARD", undefined]);
});

Deno.test("every template of a flow has a graph, and each list page can be read", async () => {
  await using app = await Harness.start();
  const { results } = await app.json("GET", "/blueprints/community/flow?size=100") as unknown as PageResponse<
    Item
  >;
  for (const { id } of results) {
    const graph = await app.json("GET", `/blueprints/community/flow/${id}/graph`) as { nodes: unknown[] };
    assert(graph.nodes.length > 2, id);
  }
});

const REFUSED: readonly (readonly [path: string, status: number, reason: string])[] = [
  ["/unknown", 404, 'there is no blueprint "unknown"'],
  ["/flow/unknown", 404, 'there is no blueprint "unknown" of kind "flow"'],
  ["/flow/executions-overview", 404, 'of kind "flow"'],
  ["/flow/approval/other", 404, 'no "other"'],
  ["/other/approval/source", 404, 'no blueprints of kind "other"'],
  ["/dashboard/executions-overview/graph", 422, "a dashboard has no graph"],
  ["/flow?sort=size:asc", 422, "sort"],
  ["/flow?filters[other][EQUALS]=x", 400, "other"],
];
for (const [path, status, reason] of REFUSED) {
  Deno.test(`GET /blueprints/community${path} is ${status}`, async () => {
    await using app = await Harness.start();
    const response = await app.request("GET", `/blueprints/community${path}`);
    assertEquals(response.status, status);
    assertStringIncludes((await response.json()).message, reason);
  });
}

Deno.test("blueprints are the same in every tenant; GET /ai/providers is empty", async () => {
  await using app = await Harness.start();
  await app.json("POST", "/api/v1/tenants", {
    body: '{"id":"acme"}',
    headers: { "content-type": "application/json" },
  });
  const path = "blueprints/community/flow?size=100";
  const lists = await Promise.all(
    ["main/", "acme/", ""].map((tenant) => app.json("GET", `/api/v1/${tenant}${path}`)),
  );
  assertEquals(new Set(lists.map((list) => JSON.stringify(list))).size, 1);
  for (const tenant of ["main/", "acme/", ""]) {
    assertEquals(await app.json("GET", `/api/v1/${tenant}ai/providers`), []);
  }
});
