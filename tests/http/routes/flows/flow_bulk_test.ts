import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { unzipSync, zipSync } from "fflate";
import { FlowTransfer } from "../../../../src/services/flows/flow_transfer.ts";
import { PassingClock } from "../../../support/fakes/passing_clock.ts";
import { Harness } from "../../../support/harness.ts";
import { fileForm, json, yaml } from "../../../support/flows/request_bodies.ts";

/** A flow that returns `format`. */
function source(id: string, { namespace = "demo", format = "a", more = "" } = {}): string {
  return `id: ${id}\nnamespace: ${namespace}\n${more}tasks:\n` +
    `  - id: a\n    type: io.svc.plugin.core.debug.Return\n    format: "${format}"\n`;
}

interface Listed {
  readonly namespace: string;
  readonly id: string;
  readonly revision: number;
  readonly disabled: boolean;
  readonly deleted: boolean;
}

async function start(...sources: string[]): Promise<Harness> {
  const server = await Harness.start();
  for (const text of sources) await server.save(text);
  return server;
}

async function post(server: Harness, path: string, body: string): Promise<Listed[]> {
  return await server.json("POST", path, yaml(body)) as unknown as Listed[];
}

async function sourceOf(server: Harness, path: string): Promise<string> {
  return (await server.json("GET", `${path}?source=true`) as { source: string }).source;
}

async function refusal(server: Harness, path: string, body: string): Promise<[number, string]> {
  const response = await server.request("POST", path, yaml(body));
  return [response.status, (await response.json()).message];
}

/** `namespace.id@revision` of the flows that there are. */
async function present(server: Harness): Promise<string[]> {
  const { results } = await server.page<Listed>("/flows/search?size=100");
  return results.map(nameOf).sort();
}

function nameOf({ namespace, id, revision, deleted }: Listed): string {
  return `${namespace}.${id}@${revision}${deleted ? " deleted" : ""}`;
}

Deno.test("POST /flows/:namespace makes its documents the flows of the namespace", async () => {
  await using server = await start(source("old"), source("same"), source("other", { namespace: "demo.sub" }));
  const body = `${source("same", { format: "b" })}---\n${source("new")}`;
  const answer = await post(server, "/flows/demo", body);
  assertEquals(answer.map(nameOf), ["demo.old@2 deleted", "demo.same@2", "demo.new@1"]);
  assertEquals(await present(server), ["demo.new@1", "demo.same@2", "demo.sub.other@1"]);
});

Deno.test("POST /flows/:namespace takes a JSON list of flows", async () => {
  await using server = await start(source("old"));
  const tasks = [{ id: "a", type: "io.svc.plugin.core.debug.Return", format: "---\n1.0" }];
  const flows = ["one", "two"].map((id) => ({ id, namespace: "demo", tasks }));
  const answer = await server.json("POST", "/flows/demo", json(flows)) as unknown as Listed[];
  assertEquals(answer.map(nameOf), ["demo.old@2 deleted", "demo.one@1", "demo.two@1"]);
  const kept = await sourceOf(server, "/flows/demo/two");
  assertMatch(kept, /^id: two\nnamespace: demo\ntasks:\n - id: a\n/);
  await server.json("POST", "/flows/bulk?delete=false", json([{ ...flows[1], description: "b" }]));
  assertEquals(await sourceOf(server, "/flows/demo/two"), `${kept}description: b\n`);
  const [status, message] = await refusal(server, "/flows/demo", "[1");
  assertEquals([status, message.includes("Illegal flow yaml")], [422, true]);
});

Deno.test("POST /flows/:namespace?delete=false keeps the other flows", async () => {
  await using server = await start(source("old"));
  await post(server, "/flows/demo?delete=false", source("new"));
  assertEquals(await present(server), ["demo.new@1", "demo.old@1"]);
});

Deno.test("POST /flows/:namespace?override=true puts flows of any namespace into it", async () => {
  await using server = await start();
  const answer = await post(server, "/flows/demo?override=true", source("new", { namespace: "elsewhere" }));
  assertEquals(answer.map(nameOf), ["demo.new@1"]);
});

const REFUSALS: readonly [string, string, string][] = [
  [
    "/flows/demo",
    source("a", { namespace: "elsewhere" }),
    "Invalid entity: flow.namespace: Flow namespace is invalid",
  ],
  ["/flows/demo", `${source("a")}---\n${source("a")}`, "Invalid entity: flow.id: Duplicate flow id"],
  ["/flows/demo", "id: a\nnamespace: demo\n", "Invalid entity: tasks: must not be empty"],
  ["/flows/demo", `${source("a")}---\n[1, 2]`, "Illegal flow yaml: The document must be an object"],
  ["/flows/bulk?namespace=demo", source("a", { namespace: "demo.sub" }), "Flow namespace is invalid"],
  ["/flows/bulk", `${source("a")}---\n${source("a", { format: "b" })}`, "Duplicate flow id"],
];
for (const [path, body, message] of REFUSALS) {
  Deno.test(`POST ${path} returns 422 and changes nothing: ${message}`, async () => {
    await using server = await start(source("old"));
    const [status, text] = await refusal(server, path, body);
    assertStringIncludes(text, message);
    assertEquals([status, await present(server)], [422, ["demo.old@1"]]);
  });
}

Deno.test("POST /flows/bulk deletes what it does not name only in the namespaces that it names", async () => {
  await using server = await start(source("old"), source("far", { namespace: "away" }));
  await post(server, "/flows/bulk", `${source("new")}---\n${source("x", { namespace: "third" })}`);
  assertEquals(await present(server), ["away.far@1", "demo.new@1", "third.x@1"]);
});

Deno.test("POST /flows/bulk?namespace=&allowNamespaceChild=true takes in the namespaces below", async () => {
  await using server = await start(source("old"), source("below", { namespace: "demo.sub" }));
  const body = source("new", { namespace: "demo.sub" });
  await post(server, "/flows/bulk?namespace=demo&allowNamespaceChild=true", body);
  assertEquals(await present(server), ["demo.sub.new@1"]);
});

Deno.test("POST /flows/bulk takes the documents of a form", async () => {
  await using server = await start();
  const body = new FormData();
  body.append("flows", new File([source("a")], "a.yml"));
  body.append("flows", source("b"));
  await server.json("POST", "/flows/bulk?delete=false", { body });
  assertEquals(await present(server), ["demo.a@1", "demo.b@1"]);
});

const KEYS = JSON.stringify([
  { namespace: "demo", id: "a", date: "x" },
  { namespace: "demo", id: "b" },
  { namespace: "demo", id: "a" },
]);
const JSON_TYPE = { "content-type": "application/json" };

async function count(server: Harness, method: string, path: string, body?: string): Promise<number> {
  const headers = body === undefined ? undefined : JSON_TYPE;
  return (await server.json(method, path, { headers, body }) as { count: number }).count;
}

async function three(): Promise<Harness> {
  return await start(
    source("a"),
    source("b", { more: "labels: {x: y}\n" }),
    source("c", { namespace: "away" }),
  );
}

Deno.test("DELETE /flows/delete/by-ids deletes flows, each once", async () => {
  await using server = await three();
  assertEquals(await count(server, "DELETE", "/flows/delete/by-ids", KEYS), 2);
  assertEquals(await present(server), ["away.c@1"]);
  assertEquals(await count(server, "DELETE", "/flows/delete/by-ids", "[]"), 0);
});

for (
  const [method, path, action] of [
    ["DELETE", "/flows/delete/by-ids", "delete"],
    ["POST", "/flows/disable/by-ids", "disable"],
    ["POST", "/flows/enable/by-ids", "enable"],
    ["POST", "/flows/export/by-ids", "export"],
  ] as const
) {
  Deno.test(`${method} ${path} names the flows that do not exist, and changes none`, async () => {
    await using server = await start(source("a"), source("b", { more: "disabled: true\n" }), source("gone"));
    await server.json("DELETE", "/flows/demo/gone");
    const keys = ["a", "none", "b", "gone"].map((id) => ({ namespace: "demo", id }));
    const response = await server.request(method, path, json(keys));
    const { message, invalids } = await response.json();
    assertEquals([response.status, invalids.length], [400, 2]);
    assertEquals([invalids[0].invalidValue, invalids[1].invalidValue], ["demo.none", "demo.gone"]);
    assertStringIncludes(message, `Invalid bulk ${action}: 2 of 4 flows`);
    assertStringIncludes(message, `demo.none: ${invalids[0].message}`);
    assertEquals(await present(server), ["demo.a@1", "demo.b@1"]);
  });
}

Deno.test("DELETE /flows/delete/by-query deletes the flows that match", async () => {
  await using server = await three();
  assertEquals(await count(server, "DELETE", "/flows/delete/by-query?filters[labels][EQUALS][x]=y"), 1);
  assertEquals(await count(server, "DELETE", "/flows/delete/by-query?namespace=demo"), 1);
  assertEquals(await present(server), ["away.c@1"]);
});

Deno.test("POST /flows/disable/by-ids counts the flows that were not disabled before", async () => {
  await using server = await three();
  assertEquals(await count(server, "POST", "/flows/disable/by-ids", KEYS), 2);
  assertEquals(await count(server, "POST", "/flows/disable/by-ids", KEYS), 0);
  assertEquals(await present(server), ["away.c@1", "demo.a@2", "demo.b@2"]);
  const flow = await server.json("GET", "/flows/demo/a?source=true") as unknown as Listed & {
    source: string;
  };
  assertEquals([flow.disabled, flow.source.startsWith("disabled: true\n")], [true, true]);
});

Deno.test("POST /flows/enable/by-query counts the flows that were disabled", async () => {
  await using server = await three();
  assertEquals(await count(server, "POST", "/flows/disable/by-query?namespace=demo"), 2);
  assertEquals(await count(server, "POST", "/flows/enable/by-query"), 2);
  assertEquals(await count(server, "POST", "/flows/enable/by-query"), 0);
});

/** Flows `a` and `c`, and between them `b` with a schedule, which is invalid without a plugin default that is gone. */
async function withInvalid(more = ""): Promise<Harness> {
  const server = await Harness.start();
  const [log, schedule] = ["io.svc.plugin.core.log.Log", "io.svc.plugin.core.trigger.Schedule"];
  const pluginDefaults = [{ type: log, values: { message: "hi" } }];
  await server.json("POST", "/namespaces", json({ id: "demo", pluginDefaults }));
  await server.save(source("a", { more }));
  await server.save(source("c", { more }));
  await server.save(`id: b
namespace: demo
${more}tasks: [{id: a, type: ${log}}]
triggers: [{id: s, type: ${schedule}, cron: "*/5 * * * *"}]
`);
  await server.json("PUT", "/namespaces/demo", json({ id: "demo" }));
  return server;
}

Deno.test("POST /flows/disable/by-query disables flows that are no longer valid, too", async () => {
  await using server = await withInvalid();
  assertEquals(await count(server, "POST", "/flows/disable/by-query?namespace=demo"), 3);
  assertEquals(await present(server), ["demo.a@2", "demo.b@2", "demo.c@2"]);
  const [trigger] = (await server.page("/triggers/demo/b")).results;
  assertEquals(trigger?.nextExecutionDate, undefined);
});

const BOUND = "disabled: &off false\nlabels: {off: *off}\n";
const BULK_REFUSALS: readonly (readonly [string, () => Promise<Harness>, string, string])[] = [
  ["enable", () => withInvalid("disabled: true\n"), "demo.b", "Invalid entity: tasks[a].message"],
  ["disable", () => start(source("a"), source("b", { more: BOUND })), "demo.b", "other parts of the source"],
];
for (const [verb, prepare, name, reason] of BULK_REFUSALS) {
  Deno.test(`POST /flows/${verb}/by-query names each flow that does not allow it, and changes none: ${reason}`, async () => {
    await using server = await prepare();
    const before = await present(server);
    const response = await server.request("POST", `/flows/${verb}/by-query?namespace=demo`);
    const { message, invalids } = await response.json();
    assertEquals([response.status, invalids.length], [400, 1]);
    assertEquals([invalids[0].propertyPath, invalids[0].invalidValue], ["flow", name]);
    assertStringIncludes(invalids[0].message, reason);
    assertStringIncludes(message, `1 of ${before.length} flows`);
    assertStringIncludes(message, `${name}: ${invalids[0].message}`);
    assertEquals(await present(server), before);
  });
}

const BAD_BODIES: readonly [string, number][] = [["{", 422], ["{}", 422], ["[1]", 422], [
  '[{"id": "a"}]',
  422,
], ["", 422]];
for (const [body, status] of BAD_BODIES) {
  Deno.test(`POST /flows/disable/by-ids with ${JSON.stringify(body)} returns ${status}`, async () => {
    await using server = await start();
    const response = await server.request("POST", "/flows/disable/by-ids", json(body));
    await response.body?.cancel();
    assertEquals(response.status, status);
  });
}

const EXPORTS: readonly [string, string, string | undefined, string[]][] = [
  ["GET", "/flows/export/by-query?namespace=demo", undefined, ["demo.a.yml", "demo.b.yml"]],
  ["GET", "/flows/export/by-query", undefined, ["away.c.yml", "demo.a.yml", "demo.b.yml"]],
  ["POST", "/flows/export/by-ids", KEYS, ["demo.a.yml", "demo.b.yml"]],
  ["GET", "/flows/export/by-query?namespace=none", undefined, []],
];
for (const [method, path, body, names] of EXPORTS) {
  Deno.test(`${method} ${path} returns a zip of ${names.length} sources`, async () => {
    await using server = await three();
    const response = await server.request(method, path, json(body));
    assertEquals(response.headers.get("content-disposition"), 'attachment; filename="flows.zip"');
    assertEquals(response.headers.get("content-type"), "application/octet-stream");
    const files = unzipSync(await response.bytes());
    assertEquals(Object.keys(files).sort(), names);
    for (const name of names.filter((name) => name.includes("demo.a"))) {
      assertEquals(new TextDecoder().decode(files[name]), source("a"));
    }
  });
}

async function importFile(server: Harness, name: string, content: BlobPart, query = ""): Promise<Response> {
  const body = new FormData();
  body.append("fileUpload", new File([content], name));
  return await server.request("POST", `/flows/import${query}`, { body });
}

Deno.test("POST /flows/import saves the documents of a file, and reports which were refused", async () => {
  await using server = await start(source("a"));
  const text = `${source("a", { format: "b" })}---\nid: x\n---\n${source("b")}`;
  const response = await importFile(server, "flows.yml", text);
  assertEquals([response.status, await response.json()], [200, ["1"]]);
  assertEquals(await present(server), ["demo.a@2", "demo.b@1"]);
});

Deno.test("POST /flows/import saves the flows of a zip, and reports which files were refused", async () => {
  await using server = await start();
  const bytes = (text: string) => new TextEncoder().encode(text);
  const zip = zipSync({
    "demo.a.yml": bytes(source("a")),
    "folder/b.yaml": bytes(`${source("b")}---\n${source("c")}`),
    "wrong.yml": bytes("id: x\n"),
    "readme.md": bytes("no flow"),
  });
  const response = await importFile(server, "flows.zip", zip as BlobPart);
  assertEquals([response.status, await response.json()], [200, ["wrong.yml"]]);
  assertEquals(await present(server), ["demo.a@1", "demo.b@1", "demo.c@1"]);
});

const BYTES = new TextEncoder();
const TOO_MANY = "---\n[]\n".repeat(10_001);
const BAD_IMPORTS: readonly (readonly [string, string, BlobPart, string])[] = [
  ["a bad document", "flows.yml", `${source("a")}---\nid: x\n`, "Invalid entity: "],
  [
    "a bad file of a zip",
    "flows.zip",
    zipSync({ "a.yml": BYTES.encode(source("a")), "b.yml": BYTES.encode("id: x\n") }) as BlobPart,
    "Invalid entity: ",
  ],
  [
    "a file of a zip with too many documents",
    "flows.zip",
    zipSync({ "a.yml": BYTES.encode(source("a")), "b.yml": BYTES.encode(TOO_MANY) }) as BlobPart,
    "more than 10,000 documents",
  ],
  [
    "a file of a zip that is too large",
    "flows.zip",
    zipSync({ "a.yml": BYTES.encode(source("a")), "b.yml": new Uint8Array(600_000) }) as BlobPart,
    '"b.yml" cannot be imported',
  ],
];
for (const [what, name, content, message] of BAD_IMPORTS) {
  Deno.test(`POST /flows/import?failOnError=true with ${what} saves nothing`, async () => {
    await using server = await start();
    const response = await importFile(server, name, content, "?failOnError=true");
    assertStringIncludes((await response.json()).message, message);
    assertEquals([response.status, await present(server)], [422, []]);
  });
}

Deno.test("POST /flows/import refuses a file of too many documents, and takes a zip without such an entry", async () => {
  await using server = await start();
  const response = await importFile(server, "flows.yml", `${source("a")}${TOO_MANY}`);
  assertStringIncludes((await response.json()).message, "more than 10,000 documents");
  assertEquals([response.status, await present(server)], [422, []]);
  const zip = zipSync({ "a.yml": BYTES.encode(source("a")), "many.yml": BYTES.encode(TOO_MANY) });
  assertEquals(await (await importFile(server, "flows.zip", zip as BlobPart)).json(), ["many.yml"]);
  assertEquals(await present(server), ["demo.a@1"]);
});

Deno.test("POST /flows/import lets others run between documents that are refused", async () => {
  const clock = new PassingClock();
  await using server = await start();
  const transfer = new FlowTransfer(server.assembly.services.flows, clock);
  const file = { name: "flows.yml", bytes: BYTES.encode("---\n[]\n".repeat(50)) };
  const { failed } = await transfer.import({ tenant: "main", user: "ann" }, file, false);
  assertEquals([failed.length, clock.turns], [50, 50]);
});

Deno.test("POST /flows/import takes back what was exported", async () => {
  await using server = await three();
  const zip = await (await server.request("GET", "/flows/export/by-query")).bytes();
  await server.request("DELETE", "/flows/delete/by-query").then((response) => response.body?.cancel());
  const response = await importFile(server, "flows.zip", zip as BlobPart);
  assertEquals(await response.json(), []);
  assertEquals(await present(server), ["away.c@3", "demo.a@3", "demo.b@3"]);
});

Deno.test("GET /namespaces/:namespace/files/export has the flows of the namespace, which an upload saves elsewhere", async () => {
  await using server = await three();
  await server.request("POST", "/namespaces/demo/files?path=/a.txt", fileForm("a"));
  await server.request("DELETE", "/flows/demo/b");
  const zip = await (await server.request("GET", "/namespaces/demo/files/export")).bytes();
  const files = unzipSync(zip);
  assertEquals(Object.keys(files), ["a.txt", "_flows/a.yml"]);
  assertEquals(new TextDecoder().decode(files["_flows/a.yml"]), source("a"));
  const upload = fileForm(zip as BlobPart, "all.zip");
  await server.request("POST", "/namespaces/other/files?path=/all.zip", upload);
  assertEquals(await present(server), ["away.c@1", "demo.a@1", "other.a@1"]);
});

const IMPORT_REFUSALS: readonly [string, BlobPart, string, string][] = [
  ["flows.yml", "id: x\n", "?failOnError=true", "Invalid entity: "],
  ["flows.txt", source("a"), "", "its name must end in .yml, .yaml or .zip"],
  ["flows.zip", "no zip", "", "the zip is refused"],
];
for (const [name, content, query, message] of IMPORT_REFUSALS) {
  Deno.test(`POST /flows/import${query} of ${name} returns 422: ${message}`, async () => {
    await using server = await start();
    const response = await importFile(server, name, content, query);
    assertStringIncludes((await response.json()).message, message);
    assertEquals(response.status, 422);
  });
}

Deno.test("POST /flows/import without a file returns 400", async () => {
  await using server = await start();
  const body = new FormData();
  body.append("other", "x");
  const response = await server.request("POST", "/flows/import", { body });
  assertEquals(response.status, 400);
  assertStringIncludes((await response.json()).message, 'as part "fileUpload"');
});

Deno.test("GET /flows/export/by-query/csv returns a line a flow below their members", async () => {
  await using server = await start(source("a", { more: 'description: "=1+1, \\"quoted\\""\n' }), source("b"));
  const response = await server.request("GET", "/flows/export/by-query/csv?namespace=demo");
  assertEquals(response.headers.get("content-type"), "text/csv");
  assertEquals(response.headers.get("content-disposition"), 'attachment; filename="flows.csv"');
  const tasks = '"[{""id"":""a"",""type"":""io.svc.plugin.core.debug.Return"",""format"":""a""}]"';
  assertEquals((await response.text()).split("\r\n"), [
    "id,namespace,revision,description,tasks,disabled,deleted,draft",
    `a,demo,1,"'=1+1, ""quoted""",${tasks},false,false,false`,
    `b,demo,1,,${tasks},false,false,false`,
    "",
  ]);
  const empty = await server.request("GET", "/flows/export/by-query/csv?namespace=none");
  assertEquals(await empty.text(), "");
});

Deno.test("bulk operations change many flows in few commits", async () => {
  const sources = Array.from({ length: 250 }, (_, index) => source(`f${index}`));
  await using server = await start();
  assertEquals((await post(server, "/flows/demo", sources.join("---\n"))).length, 250);
  assertEquals(await count(server, "POST", "/flows/disable/by-query"), 250);
  assertEquals(await count(server, "DELETE", "/flows/delete/by-query?q=f1"), 111);
  assert((await present(server)).length === 100);
});

Deno.test("POST /flows/bulk saves the same new flow for all of several requests at once", async () => {
  await using server = await start();
  const calls = Array.from({ length: 6 }, () => server.request("POST", "/flows/bulk", yaml(source("new"))));
  const responses = await Promise.all(calls);
  assertEquals(responses.map(({ status }) => status), [200, 200, 200, 200, 200, 200]);
  assertEquals(await present(server), ["demo.new@1"]);
});

Deno.test("POST /flows/:namespace deletes the same flows for all of several requests at once", async () => {
  await using server = await start(source("old"), source("older"));
  const calls = Array.from({ length: 4 }, () => server.request("POST", "/flows/demo", yaml(source("new"))));
  const responses = await Promise.all(calls);
  assertEquals(responses.map(({ status }) => status), [200, 200, 200, 200]);
  assertEquals(await present(server), ["demo.new@1"]);
});

Deno.test("DELETE /flows/delete/by-query counts each flow for one of several requests at once", async () => {
  await using server = await start(source("a"), source("b"));
  const calls = Array.from({ length: 3 }, () => server.json("DELETE", "/flows/delete/by-query"));
  const counts = (await Promise.all(calls)).map((body) => (body as { count: number }).count);
  assertEquals([counts.reduce((sum, count) => sum + count), await present(server)], [2, []]);
});
