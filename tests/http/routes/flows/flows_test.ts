import { assertEquals, assertMatch, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { MAX_FLOW_SOURCE_BYTES } from "../../../../src/model/limits.ts";
import { PassingClock } from "../../../support/fakes/passing_clock.ts";
import { Harness } from "../../../support/harness.ts";
import { json, yaml } from "../../../support/flows/request_bodies.ts";

const YAML = { "content-type": "application/x-yaml" };

/** A flow that returns `format`. */
function source(id: string, { namespace = "demo", format = "a", more = "" } = {}): string {
  return `id: ${id}\nnamespace: ${namespace}\n${more}tasks:\n` +
    `  - id: a\n    type: io.svc.plugin.core.debug.Return\n    format: "${format}"\n`;
}

async function message(response: Response): Promise<string> {
  return (await response.json()).message;
}

Deno.test("POST /flows returns the flow with its source", async () => {
  await using server = await Harness.start();
  const text = source("hello", { more: "# a remark\nlabels:\n  team: blue\n" });
  const response = await server.request("POST", "/flows", yaml(text));
  assertEquals([response.status, response.headers.get("content-type")], [200, "application/json"]);
  assertEquals(await response.json(), {
    id: "hello",
    namespace: "demo",
    revision: 1,
    labels: [{ key: "team", value: "blue" }],
    tasks: [{ id: "a", type: "io.svc.plugin.core.debug.Return", format: "a" }],
    disabled: false,
    deleted: false,
    draft: false,
    source: text,
  });
});

const MEDIA_TYPES: readonly (readonly [string, number])[] = [
  ["application/x-yaml", 200],
  ["application/yaml", 200],
  ["text/yaml", 200],
  ["text/x-yaml; charset=utf-8", 200],
  ["text/plain;charset=UTF-8", 200],
  ["application/octet-stream", 200],
  ["APPLICATION/JSON", 200],
  ["application/xml", 415],
  ["multipart/form-data; boundary=x", 415],
  ["application/x-www-form-urlencoded", 415],
];
for (const [type, status] of MEDIA_TYPES) {
  Deno.test(`POST /flows with content type "${type}" returns ${status}`, async () => {
    await using server = await Harness.start();
    const headers = { "content-type": type };
    const response = await server.request("POST", "/flows", { headers, body: source("hello") });
    await response.body?.cancel();
    assertEquals(response.status, status);
  });
}

Deno.test("POST /flows takes JSON", async () => {
  await using server = await Harness.start();
  const flow = {
    id: "hello",
    namespace: "demo",
    tasks: [{ id: "a", type: "io.svc.plugin.core.log.Log", message: "x" }],
  };
  const answer = await server.json("POST", "/flows", json(flow));
  assertObjectMatch(answer as object, { ...flow, revision: 1 });
});

Deno.test("POST and PUT /flows keep a flow that is sent as JSON in YAML", async () => {
  await using server = await Harness.start();
  const flowOf = (format: string) => ({
    id: "hello",
    namespace: "demo",
    variables: { text: "1.0", number: 1.5, empty: null },
    tasks: [{ id: "a", type: "io.svc.plugin.core.debug.Return", format }],
  });
  const sourceOf = (format: string) =>
    `id: hello\nnamespace: demo\nvariables:\n  text: "1.0"\n  number: 1.5\n  empty: null\n` +
    `tasks:\n - id: a\n   type: io.svc.plugin.core.debug.Return\n   format: ${format}\n`;
  const saved = async (method: string, path: string, request: RequestInit) =>
    (await server.json(method, path, request) as { source: string }).source;
  assertEquals(await saved("POST", "/flows", json(flowOf("a\nb"))), sourceOf("|-\n     a\n     b"));
  assertEquals(await saved("PUT", "/flows/demo/hello", json(flowOf("c"))), sourceOf("c"));
  // YAML has comments and a layout to keep, whatever its type, and so has JSON that is sent as YAML.
  for (const request of [json(source("hello")), yaml(JSON.stringify(flowOf("d")))]) {
    assertEquals(await saved("PUT", "/flows/demo/hello", request), String(request.body));
  }
});

Deno.test("PUT /flows takes a flow as a GET with its source returns it: the members count", async () => {
  await using server = await Harness.start();
  await server.json("POST", "/flows", yaml(source("hello")));
  const flow = await server.json("GET", "/flows/demo/hello?source=true") as JsonObject;
  const saved = await server.json("PUT", "/flows/demo/hello", json({ ...flow, description: "New" }));
  assertObjectMatch(saved as JsonObject, { revision: 2, description: "New" });
  const refused = await server.request("PUT", "/flows/demo/hello", json({ ...flow, source: 1 }));
  assertEquals(refused.status, 422);
});

Deno.test("POST /flows names the place of a problem in JSON as it was sent", async () => {
  await using server = await Harness.start();
  const response = await server.request(
    "POST",
    "/flows",
    json('{"id": "a", "namespace": "demo", "tasks": 1}'),
  );
  const { errors: [{ line, column }] } = await response.json();
  assertEquals([response.status, line, column], [422, 1, 43]);
});

const REFUSED: readonly (readonly [string, string, number, RegExp])[] = [
  ["what is no YAML", "id: [", 422, /Illegal flow yaml: /],
  ["an empty body", "", 422, /^(Illegal flow yaml|Invalid entity)/],
  ["an unknown type", source("x").replace("debug.Return", "Nope"), 422, /^Invalid entity: .*Invalid type: /],
  ["a source that is too long", `${source("x")}# ${"x".repeat(MAX_FLOW_SOURCE_BYTES)}`, 413, /larger than/],
];
for (const [what, body, status, text] of REFUSED) {
  Deno.test(`POST /flows refuses ${what}`, async () => {
    await using server = await Harness.start();
    const response = await server.request("POST", "/flows", yaml(body));
    assertEquals(response.status, status);
    assertMatch(await message(response), text);
  });
}

Deno.test("POST /flows refuses an id that exists", async () => {
  await using server = await Harness.start();
  await server.save(source("hello"));
  const response = await server.request("POST", "/flows", yaml(source("hello")));
  assertEquals(response.status, 422);
  assertStringIncludes(await message(response), "Flow id already exists");
});

const READS: readonly (readonly [string, number, object])[] = [
  ["", 200, { revision: 2 }],
  ["?source=true", 200, { source: source("hello", { format: "b" }) }],
  ["?revision=1&source=true", 200, { revision: 1, source: source("hello") }],
  ["?revision=7", 404, {}],
  ["?revision=one", 400, {}],
  ["?source=maybe", 400, {}],
];
for (const [query, status, expected] of READS) {
  Deno.test(`GET /flows/:namespace/:id${query} returns ${status}`, async () => {
    await using server = await Harness.start();
    await server.save(source("hello"));
    await server.json("PUT", "/flows/demo/hello", yaml(source("hello", { format: "b" })));
    const response = await server.request("GET", `/flows/demo/hello${query}`);
    assertEquals(response.status, status);
    assertObjectMatch(await response.json(), expected);
  });
}

Deno.test("GET /flows/:namespace/:id leaves out the source by default", async () => {
  await using server = await Harness.start();
  await server.save(source("hello"));
  const response = await server.request("GET", "/flows/demo/hello");
  assertEquals(response.headers.get("etag"), '"1"');
  assertEquals("source" in await response.json(), false);
});

const IF_MATCH: readonly (readonly [string, number])[] = [
  ["1", 200],
  ['"1"', 200],
  ['W/"1"', 200],
  ["*", 200],
  ["2", 412],
  ['"one"', 412],
  ["", 412],
];
for (const [tag, status] of IF_MATCH) {
  Deno.test(`PUT /flows/:namespace/:id with If-Match ${JSON.stringify(tag)} returns ${status}`, async () => {
    await using server = await Harness.start();
    await server.save(source("hello"));
    const body = source("hello", { format: "b" });
    const response = await server.request("PUT", "/flows/demo/hello", {
      headers: { ...YAML, "if-match": tag },
      body,
    });
    const answer = await response.json();
    assertEquals(response.status, status);
    if (status === 200) assertObjectMatch(answer, { revision: 2, source: body });
  });
}

const UPDATES: readonly (readonly [string, string, string, number])[] = [
  ["an unknown flow", "/flows/demo/other", source("other"), 404],
  ["an unknown flow, whatever the body is", "/flows/demo/other", "id: [", 404],
  ["another id", "/flows/demo/hello", source("other"), 422],
  ["another namespace", "/flows/demo/hello", source("hello", { namespace: "other" }), 422],
];
for (const [what, path, body, status] of UPDATES) {
  Deno.test(`PUT /flows/:namespace/:id refuses ${what}`, async () => {
    await using server = await Harness.start();
    await server.save(source("hello"));
    const response = await server.request("PUT", path, yaml(body));
    await response.body?.cancel();
    assertEquals(response.status, status);
  });
}

Deno.test("DELETE /flows/:namespace/:id returns 204, and 404 the second time", async () => {
  await using server = await Harness.start();
  await server.save(source("hello"));
  const first = await server.request("DELETE", "/flows/demo/hello");
  assertEquals([first.status, await first.text()], [204, ""]);
  for (const method of ["DELETE", "GET"]) {
    const response = await server.request(method, "/flows/demo/hello");
    await response.body?.cancel();
    assertEquals(response.status, 404);
  }
  const deleted = await server.json("GET", "/flows/demo/hello?allowDeleted=true");
  assertObjectMatch(deleted as object, { deleted: true, revision: 2 });
  const earlier = await server.json("GET", "/flows/demo/hello?revision=1");
  assertObjectMatch(earlier as object, { deleted: false, revision: 1 });
});

Deno.test("GET /flows/:namespace/:id gives an input with the older member `name` its id too", async () => {
  await using server = await Harness.start();
  await server.save(source("hello", { more: "inputs: [{name: a, type: STRING}, {id: b, type: STRING}]\n" }));
  const flow = await server.json("GET", "/flows/demo/hello") as JsonObject;
  assertEquals(flow.inputs, [{ id: "a", name: "a", type: "STRING" }, { id: "b", type: "STRING" }]);
  const init = { body: JSON.stringify(flow), headers: { "content-type": "application/json" } };
  const again = await server.json("PUT", "/flows/demo/hello", init) as JsonObject;
  assertEquals([again.inputs, again.revision], [flow.inputs, 2]);
});

Deno.test("POST /flows/validate reports 20,000 problems, and the worst of each further document", async () => {
  await using server = await Harness.start();
  const members = Array.from({ length: 900 }, (_, n) => `x${n}: 1\n`);
  // A warning, and then the errors.
  const many = source("many", { format: "{{ wrong() }}" }) + members.join("");
  const text = Array<string>(24).fill(many).join("---\n");
  const checks = await server.json("POST", "/flows/validate", yaml(text)) as unknown as {
    readonly problems?: readonly { readonly severity: string }[];
  }[];
  const numbers = checks.map(({ problems = [] }) => problems.length);
  assertEquals(numbers, [...Array<number>(22).fill(901), 1, 1]);
  assertEquals(checks.at(-1)?.problems?.[0]?.severity, "error");
});

Deno.test("POST /flows/validate takes 10,000 documents", async () => {
  await using server = await Harness.start();
  const refused = await server.request("POST", "/flows/validate", yaml("---\n[]\n".repeat(10_001)));
  const expected = "Illegal argument: the text has more than 10,000 documents: send it in several parts";
  assertEquals([refused.status, await message(refused)], [422, expected]);
});

Deno.test("GET /flows/:namespace lists exactly that namespace", async () => {
  await using server = await Harness.start();
  await server.save(source("a"));
  await server.save(source("b", { namespace: "demo.below" }));
  const found = await server.json("GET", "/flows/demo") as { id: string }[];
  assertEquals(found.map(({ id }) => id), ["a"]);
  assertEquals(await server.json("GET", "/flows/nothing.here"), []);
});

Deno.test("GET /flows/distinct-namespaces lists namespaces that hold a flow", async () => {
  await using server = await Harness.start();
  await server.save(source("a", { namespace: "demo.b" }));
  await server.save(source("a", { namespace: "demo.a" }));
  await server.save(source("b", { namespace: "demo.a" }));
  assertEquals(await server.json("GET", "/flows/distinct-namespaces"), ["demo.a", "demo.b"]);
  assertEquals(await server.json("GET", "/flows/distinct-namespaces?q=.B"), ["demo.b"]);
});

Deno.test("GET /flows/:namespace/:id/revisions lists what was saved, with sources", async () => {
  await using server = await Harness.start();
  await server.save(source("hello"));
  await server.json("PUT", "/flows/demo/hello", yaml(source("hello", { format: "b" })));
  const revisions = await server.json("GET", "/flows/demo/hello/revisions") as {
    revision: number;
    source: string;
  }[];
  assertEquals(revisions.map(({ revision }) => revision), [1, 2]);
  assertEquals(revisions[0]?.source, source("hello"));
  await server.request("DELETE", "/flows/demo/hello");
  const left = await server.json("GET", "/flows/demo/hello/revisions?allowDelete=false") as unknown[];
  assertEquals(left.length, 2);
  const unknown = await server.request("GET", "/flows/demo/none/revisions");
  await unknown.body?.cancel();
  assertEquals(unknown.status, 404);
  const all = await server.json("GET", "/flows/demo/hello/revisions?allowDelete=true") as unknown[];
  assertEquals(all.length, 3);
});

const SEARCHES: readonly (readonly [string, string, number])[] = [
  ["", "alpha beta system-flow", 3],
  ["sort=id:desc", "system-flow beta alpha", 3],
  ["size=1&page=2&sort=id:asc", "beta", 3],
  ["page=9", "", 3],
  ["q=TEAM-ALP", "alpha", 1],
  ["q=alpha beta", "", 0],
  ["q=company alp", "alpha", 1],
  ["q=*", "alpha beta system-flow", 3],
  ["filters[q][NOT_EQUALS]=*", "", 0],
  ["namespace=company", "alpha beta", 2],
  ["namespace=comp", "", 0],
  ["flowId=beta", "beta", 1],
  ["scope=SYSTEM", "system-flow", 1],
  ["scope=USER", "alpha beta", 2],
  ["scope=USER&scope=SYSTEM", "alpha beta system-flow", 3],
  ["labels=project:foo,bar", "alpha", 1],
  ["labels=project:foo,bar&labels=env:prod", "alpha", 1],
  ["labels=env:prod&labels=env:dev", "", 0],
  ["filters[namespace][EQUALS]=company", "", 0],
  ["filters[namespace][EQUALS]=company.team", "alpha", 1],
  ["filters[namespace][PREFIX]=company", "alpha beta", 2],
  ["filters[namespace][IN]=system,company.team", "alpha system-flow", 2],
  ["filters[namespace][NOT_IN]=system,company.team", "beta", 1],
  ["filters[flowId][STARTS_WITH]=al", "alpha", 1],
  ["filters[flowId][ENDS_WITH]=flow", "system-flow", 1],
  ["filters[flowId][CONTAINS]=et", "beta", 1],
  ["filters[flowId][NOT_EQUALS]=beta", "alpha system-flow", 2],
  ["filters[flowId][REGEX]=^(al|be).*a$", "alpha beta", 2],
  ["filters[labels][EQUALS][project]=foo,bar", "alpha", 1],
  ["filters[labels][EQUALS]=env:prod", "alpha", 1],
  ["filters[labels][IN]=env:prod,env:dev", "alpha beta", 2],
  ["filters[labels][NOT_EQUALS][env]=prod", "beta system-flow", 2],
  ["filters[scope][NOT_EQUALS]=SYSTEM", "alpha beta", 2],
  ["filters[q][EQUALS]=beta", "beta", 1],
  ["filters[or][0][flowId][EQUALS]=beta&filters[or][1][flowId][EQUALS]=alpha", "alpha beta", 2],
  ["filters[or][0][flowId][EQUALS]=beta&filters[or][0][namespace][EQUALS]=system", "", 0],
  ["unknown=ignored", "alpha beta system-flow", 3],
];
for (const [query, ids, total] of SEARCHES) {
  Deno.test(`GET /flows/search?${query} finds ${ids === "" ? "nothing" : ids}`, async () => {
    await using server = await Harness.start();
    const more = 'labels:\n  project: "foo,bar"\n  env: prod\n';
    await server.save(source("alpha", { namespace: "company.team", more }));
    await server.save(source("beta", { namespace: "company.other", more: "labels:\n  env: dev\n" }));
    await server.save(source("system-flow", { namespace: "system" }));
    const { results, total: found } = await server.page(`/flows/search?${query.replaceAll(" ", "+")}`);
    const names = results.map(({ id }) => id);
    if (!query.includes("sort=")) names.sort();
    assertEquals([names.join(" "), found], [ids, total]);
  });
}

const BAD_SEARCHES: readonly (readonly [string, number])[] = [
  ["page=0", 422],
  ["size=-1", 422],
  ["sort=id", 422],
  ["sort=nothing:asc", 422],
  ["filters[color][EQUALS]=x", 400],
  ["filters[__proto__][EQUALS]=x", 400],
  ["filters[namespace][LIKE]=x", 400],
  ["filters[namespace]=x", 400],
  ["filters[namespace][EQUALS]x=1", 400],
  ["filters[flowId][REGEX]=(", 400],
  ["filters[flowId][REGEX]=(a%2B)%2B$", 400],
  ["filters[flowId][REGEX]=a*a*a*a*b", 400],
  ["filters[labels][EQUALS]=env", 400],
  ["filters[labels][CONTAINS]=env:prod", 400],
  ["filters[scope][EQUALS]=NOBODY", 400],
  ["labels=:value", 400],
];
for (const [query, status] of BAD_SEARCHES) {
  Deno.test(`GET /flows/search?${query} returns ${status}`, async () => {
    await using server = await Harness.start();
    const response = await server.request("GET", `/flows/search?${query}`);
    await response.body?.cancel();
    assertEquals(response.status, status);
  });
}

Deno.test("POST /flows/validate returns 200 with one result for each document", async () => {
  await using server = await Harness.start();
  await server.save(source("good"));
  const bad =
    "id: bad\nnamespace: demo\ntasks:\n  - id: a\n    type: io.svc.plugin.core.log.Log\n    colour: red\n";
  const outdated = source("good", { more: "revision: 9\n" });
  const numbered = "id: 2024\nnamespace: 12\ntasks: []\n";
  const body = [source("good"), bad, outdated, numbered, "id: ["].join("---\n");
  const answer = await server.json("POST", "/flows/validate", yaml(body));
  const [good, wrong, late, number, broken] = answer as unknown as Record<string, unknown>[];
  assertEquals(good, {
    index: 0,
    flow: "good",
    namespace: "demo",
    outdated: false,
    deprecationPaths: [],
    warnings: [],
    infos: [],
    problems: [],
  });
  assertObjectMatch(wrong ?? {}, { index: 1, flow: "bad" });
  assertMatch(String(wrong?.constraints), /tasks\[a\]\.message: must not be null/);
  assertStringIncludes(String(wrong?.constraints), 'Unrecognized field "colour"');
  assertEquals(late?.outdated, true);
  assertEquals([number?.flow, number?.namespace], ["2024", "12"]);
  assertMatch(String(broken?.constraints), /^Illegal flow yaml: /);
});

Deno.test("FlowChecks.ofText() lets others run between the documents of a text", async () => {
  const clock = new PassingClock();
  await using server = await Harness.start({}, undefined, clock);
  const text = Array.from({ length: 50 }, (_, index) => source(`flow${index}`)).join("---\n");
  const before = clock.turns;
  const checks = await server.assembly.services.flows.checks.ofText({ tenant: "main", user: "ann" }, text);
  assertEquals([checks.length, clock.turns - before >= 50], [50, true]);
});

Deno.test("POST /flows/validate warns of a Flow trigger that reacts to all executions", async () => {
  await using server = await Harness.start();
  const body = source("all", {
    more: "triggers:\n  - id: every\n    type: io.svc.plugin.core.trigger.Flow\n",
  });
  const [check] = await server.json("POST", "/flows/validate", yaml(body)) as unknown as {
    readonly warnings: readonly string[];
  }[];
  assertEquals(check?.warnings, [
    "This flow will be triggered for EVERY execution of EVERY flow on your instance. " +
    "We recommend adding the preconditions property to the Flow trigger 'every'.",
  ]);
});

Deno.test("POST /flows/validate warns of subflows that do not exist or are disabled", async () => {
  await using server = await Harness.start();
  const subflow = (id: string, flowId: string) =>
    `  - {id: ${id}, type: io.svc.plugin.core.flow.Subflow, namespace: demo, flowId: "${flowId}"}\n`;
  await server.save(source("there"));
  await server.save(source("off", { more: "disabled: true\n" }));
  const named = ["there", "off", "absent", "{{ namespace }}", "beside"];
  const body = `${source("parent")}${named.map((id, index) => subflow(`s${index}`, id)).join("")}` +
    `---\n${source("beside")}`;
  const answer = await server.json("POST", "/flows/validate", yaml(body));
  const [check] = answer as unknown as { readonly warnings: string[]; readonly constraints?: string }[];
  assertEquals([check?.warnings, check?.constraints], [[
    "The subflow 'off' is disabled in namespace 'demo'.",
    "The subflow 'absent' not found in namespace 'demo'.",
  ], undefined]);
});

Deno.test("POST /flows/validate of nothing says that it is empty", async () => {
  await using server = await Harness.start();
  for (const body of ["", "---\n# nothing\n"]) {
    const answer = await server.json("POST", "/flows/validate", yaml(body));
    const checks = answer as unknown as Record<string, unknown>[];
    assertEquals(checks.length, 1);
    assertStringIncludes(String(checks[0]?.constraints), "The document is empty");
  }
});

Deno.test("POST /flows/validate says where each problem is", async () => {
  await using server = await Harness.start();
  const body =
    "id: bad\nnamespace: demo\ntasks:\n  - id: a\n    type: io.svc.plugin.core.log.Log\n    message: x\n    colour: red\n";
  const answer = await server.json("POST", "/flows/validate", yaml(body));
  const [{ problems }] = answer as unknown as [{ problems: object[] }];
  assertEquals(problems.length, 1);
  assertObjectMatch(problems[0] ?? {}, {
    code: "unknown_property",
    path: "tasks[0].colour",
    severity: "error",
    line: 7,
    column: 5,
    length: 6,
  });
});

Deno.test("POST and PUT /flows give the places of problems, as /flows/validate does", async () => {
  await using server = await Harness.start();
  await server.save("id: f\nnamespace: demo\ntasks: [{id: t, type: io.svc.plugin.core.debug.Return}]\n");
  const source =
    "id: f\nnamespace: demo\ntasks:\n  - id: t\n    type: io.kestra.plugin.jdbc.oracle.Query\n    sql: x\n";
  const place = { path: "tasks[0].type", line: 5, column: 11 };
  const [check] = await server.json("POST", "/flows/validate", yaml(source)) as JsonObject[];
  const [{ path, line, column, message } = {} as JsonObject] = check?.problems as JsonObject[];
  assertEquals({ path, line, column }, place);
  assertStringIncludes(String(message), 'this type of the integration "SQL databases" is planned');
  for (const [method, path] of [["POST", "/flows"], ["PUT", "/flows/demo/f"]] as const) {
    const response = await server.request(method, path, yaml(source));
    assertEquals(response.status, 422);
    const body = await response.json();
    assertEquals(body.errors, [{ detail: message, ...place }]);
    assertEquals(body._embedded.errors, [{ message, ...place }]);
  }
});

const TWO_TASKS = `# ours
id: f
namespace: demo
tasks:
  - id: a # first
    type: io.svc.plugin.core.debug.Return
    format: old
  # kept
  - id: b
    type: io.svc.plugin.core.debug.Return
`;

Deno.test("PATCH /flows/:namespace/:flowId/:taskId replaces the task in the source by a new revision", async () => {
  await using server = await Harness.start();
  await server.save(TWO_TASKS);
  const task = { id: "a", type: "io.svc.plugin.core.debug.Return", format: "new" };
  const response = await server.request("PATCH", "/flows/demo/f/a", json(task));
  assertEquals([response.status, response.headers.get("etag")], [200, '"2"']);
  const expected = TWO_TASKS.replace(" # first", "").replace("old", "new");
  assertEquals((await response.json()).source, expected);
  assertEquals(await server.json("GET", "/flows/demo/f/tasks/a"), task);
  const same = await server.json("PATCH", "/flows/demo/f/a", json(task)) as JsonObject;
  assertEquals(same.revision, 2);
  const { taskRunList } = await server.execution((await server.start("f", {}, "?wait=true")).id);
  assertEquals(taskRunList?.map(({ taskId, outputs }) => [taskId, outputs?.value]), [["a", "new"], [
    "b",
    undefined,
  ]]);
});

const PATCHES: readonly (readonly [path: string, init: RequestInit, status: number, says: string])[] = [
  ["/flows/demo/f/c", json({ id: "c", type: "x" }), 404, 'flow "demo.f" has no task "c"'],
  ["/flows/demo/g/a", json({ id: "a", type: "x" }), 404, 'flow "demo.g" does not exist'],
  ["/flows/demo/f/a", json({ id: "b" }), 422, 'id: must be "a", the task of the path, but received "b"'],
  ["/flows/demo/f/a", json({}), 422, "but received none"],
  ["/flows/demo/f/a", json([]), 422, "The document must be an object"],
  ["/flows/demo/f/a", yaml("id: ["), 422, "at line 1, column"],
  ["/flows/demo/f/a", yaml("id: a\ntype: com.acme.Nothing\n"), 422, "Invalid type: com.acme.Nothing"],
];

for (const [path, init, status, says] of PATCHES) {
  Deno.test(`PATCH ${path} with ${init.body} is refused with ${status}`, async () => {
    await using server = await Harness.start();
    await server.save(TWO_TASKS);
    const response = await server.request("PATCH", path, init);
    const { message } = await response.json();
    assertEquals(response.status, status, message);
    assertStringIncludes(message, says);
    assertEquals((await server.json("GET", "/flows/demo/f") as JsonObject).revision, 1);
  });
}

Deno.test("PATCH of a task gives the places of problems in the source of the flow, and keeps to If-Match", async () => {
  await using server = await Harness.start();
  await server.save(TWO_TASKS);
  const task = yaml("id: a\ntype: io.svc.plugin.core.debug.Return\nformt: x\n");
  const refused = await server.request("PATCH", "/flows/demo/f/a", task);
  const [{ path, line, column }] = (await refused.json()).errors;
  assertEquals({ path, line, column }, { path: "tasks[0].formt", line: 7, column: 5 });
  const valid = yaml("id: a\ntype: io.svc.plugin.core.debug.Return\n");
  const outdated = { ...valid, headers: { ...valid.headers as Record<string, string>, "if-match": "7" } };
  assertEquals((await server.request("PATCH", "/flows/demo/f/a", outdated)).status, 412);
});
