import { assertEquals, assertMatch, assertObjectMatch, assertStringIncludes } from "@std/assert";
import { idPrefix } from "../../../../src/base/id.ts";
import { FAKE_START, settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";
import { EventReader } from "../../event_reader.ts";
import { json, yaml } from "../../../support/flows/request_bodies.ts";

/** A flow of namespace `demo` that returns `format`. */
function source(id: string, more = "", format = "a"): string {
  return `id: ${id}\nnamespace: demo\n${more}tasks:\n` +
    `  - id: a\n    type: io.svc.plugin.core.debug.Return\n    format: "${format}"\n`;
}

/** A flow that runs for a minute. */
function slow(id: string): string {
  return `id: ${id}\nnamespace: demo\ntasks:\n` +
    "  - id: wait\n    type: io.svc.plugin.core.flow.Sleep\n    duration: PT1M\n";
}

const INPUTS =
  "inputs:\n  - id: name\n    type: STRING\n    required: false\n  - id: count\n    type: INT\n    required: false\n";
const FILE_INPUT = "inputs:\n  - id: data\n    type: FILE\n";

/** A multipart body as clients write it. */
function multipart(...parts: readonly string[]): RequestInit {
  const body = parts.map((part) => `--b\r\n${part}\r\n`).join("") + "--b--\r\n";
  return { headers: { "content-type": "multipart/form-data; boundary=b" }, body };
}

function field(name: string, value: string): string {
  return `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
}

function file(name: string, fileName: string, content: string): string {
  return `Content-Disposition: form-data; name="${name}"; filename="${fileName}"\r\n` +
    `Content-Type: application/octet-stream\r\n\r\n${content}`;
}

Deno.test("POST /executions/:namespace/:flowId returns the execution as it was created", async () => {
  await using server = await Harness.start();
  await server.save(source("hello"));
  const response = await server.request("POST", "/executions/demo/hello");
  assertEquals([response.status, response.headers.get("content-type")], [200, "application/json"]);
  const { id, ...answer } = await response.json();
  const at = new Date(FAKE_START).toISOString();
  assertEquals(answer, {
    tenantId: "main",
    namespace: "demo",
    flowId: "hello",
    flowRevision: 1,
    labels: [{ key: "system.correlationId", value: id }],
    state: { current: "CREATED", histories: [{ state: "CREATED", date: at }], duration: 0, startDate: at },
    originalId: id,
    deleted: false,
    metadata: { attemptNumber: 1, originalCreatedDate: at },
    scheduleDate: at,
    url: `http://127.0.0.1:8080/ui/executions/demo/hello/${id}`,
  });
});

const FORMS: readonly (readonly [string, RequestInit, object])[] = [
  ["no body", {}, { name: null, count: null }],
  ["a content type and no body", { headers: { "content-type": "application/json" } }, {
    name: null,
    count: null,
  }],
  ["an empty JSON body", json(""), {
    name: null,
    count: null,
  }],
  ["the closing boundary alone", multipart(), { name: null, count: null }],
  ["a multipart form", multipart(field("name", "Ann"), field("count", "3")), { name: "Ann", count: 3 }],
  [
    "parts of other names",
    multipart(field("0", '{"a":1}'), field("__proto__", "x"), file("other", "o", "x")),
    {
      name: null,
      count: null,
    },
  ],
  ["repeated parts", multipart(field("count", "3"), field("count", "4")), { name: null, count: 4 }],
  ["empty parts", multipart(field("name", ""), field("count", "")), { name: "", count: null }],
  ["a value sent as a file", multipart(file("count", "blob", "5")), { name: null, count: 5 }],
  ["a url-encoded form", { body: new URLSearchParams({ name: "A&B", count: "3", other: "x" }) }, {
    name: "A&B",
    count: 3,
  }],
];
for (const [what, init, inputs] of FORMS) {
  Deno.test(`POST /executions/:namespace/:flowId takes ${what}`, async () => {
    await using server = await Harness.start();
    await server.save(source("hello", INPUTS));
    const answer = await server.json("POST", "/executions/demo/hello", init);
    assertEquals((answer as { inputs?: object }).inputs, inputs);
  });
}

const EMPTY_FILES: readonly (readonly [string, string, boolean])[] = [
  ["an empty file with a name", file("data", "a.txt", ""), true],
  ["an empty file in the part of older clients", file("files", "data", ""), true],
  ["a field of a browser without a chosen file", file("data", "", ""), false],
];
for (const [what, part, isGiven] of EMPTY_FILES) {
  Deno.test(`POST /executions/:namespace/:flowId reads ${what} as ${isGiven ? "a file" : "no value"}`, async () => {
    await using server = await Harness.start();
    await server.save(source("hello", FILE_INPUT));
    const response = await server.request("POST", "/executions/demo/hello", multipart(part));
    assertEquals(response.status, isGiven ? 200 : 422);
    await response.body?.cancel();
  });
}

const BAD_STARTS: readonly (readonly [string, string, RequestInit, number])[] = [
  ["a JSON body", "", json("{}"), 415],
  ["a text body", "", { headers: { "content-type": "text/plain" }, body: "name=x" }, 415],
  [
    "a multipart body without boundary",
    "",
    { headers: { "content-type": "multipart/form-data" }, body: "x" },
    422,
  ],
  ["a body that breaks off", "", { ...multipart(), body: "--b\r\n" }, 422],
  ["a wrong value", "", multipart(field("count", "three")), 422],
  ["a label without value", "?labels=a", {}, 422],
  ["a label with an empty key", "?labels=:b", {}, 422],
  ["a label of the system", "?labels=system.x:1", {}, 422],
  ["a label of nothing but space", "?labels=a:+", {}, 422],
  ["two labels of one key", "?labels=a:1&labels=b:1&labels=a:2", {}, 422],
  ["a schedule date without zone", "?scheduleDate=2026-02-01T10:00:00", {}, 422],
  ["a schedule date that is none", "?scheduleDate=tomorrow", {}, 422],
  ["an unknown revision", "?revision=2", {}, 404],
  ["a revision that is none", "?revision=x", {}, 400],
  ["an unknown kind", "?kind=ODD", {}, 400],
  ["a wait that is neither true nor false", "?wait=long", {}, 400],
];
for (const [what, query, init, status] of BAD_STARTS) {
  Deno.test(`POST /executions/:namespace/:flowId refuses ${what}`, async () => {
    await using server = await Harness.start();
    await server.save(source("hello", INPUTS));
    const response = await server.request("POST", `/executions/demo/hello${query}`, init);
    await response.body?.cancel();
    assertEquals(response.status, status);
  });
}

Deno.test("POST /executions/:namespace/:flowId refuses a flow that is unknown or disabled", async () => {
  await using server = await Harness.start();
  await server.save(source("off", "disabled: true\n"));
  for (const [path, status] of [["demo/none", 404], ["demo/off", 409]] as const) {
    const response = await server.request("POST", `/executions/${path}`);
    await response.body?.cancel();
    assertEquals(response.status, status);
  }
});

Deno.test("POST /executions/:namespace/:flowId adds labels after those of the flow", async () => {
  await using server = await Harness.start();
  await server.save(source("hello", "labels:\n  env: dev\n  team: blue\n"));
  const answer = await server.start("hello", {}, "?labels=env:+prod&labels=url:https://x.y/?a%3Db");
  assertEquals(answer.labels, [
    { key: "env", value: "prod" },
    { key: "team", value: "blue" },
    { key: "url", value: "https://x.y/?a=b" },
    { key: "system.correlationId", value: String(answer.id) },
  ]);
});

for (const name of ["kill", "pause", "restart", "resume", "actions"]) {
  Deno.test(`POST /executions/:namespace/${name} starts the flow of that name`, async () => {
    await using server = await Harness.start();
    await server.save(source(name));
    assertObjectMatch(await server.start(name), { flowId: name });
  });
}

Deno.test("POST /executions/trigger/:namespace/:flowId starts too", async () => {
  await using server = await Harness.start();
  await server.save(source("hello"));
  const answer = await server.json("POST", "/executions/trigger/demo/hello");
  assertObjectMatch(answer as object, { flowId: "hello" });
});

Deno.test("POST /executions/:namespace/:flowId runs the revision that is requested", async () => {
  await using server = await Harness.start();
  await server.save(source("hello"));
  await server.json("PUT", "/flows/demo/hello", yaml(source("hello", "", "b")));
  assertObjectMatch(await server.start("hello", {}, "?revision=1"), { flowRevision: 1 });
  assertObjectMatch(await server.start("hello"), { flowRevision: 2 });
});

Deno.test("POST /executions/:namespace/:flowId?wait=true returns when the execution has ended", async () => {
  await using server = await Harness.start();
  await server.save(slow("slow"));
  const waiting = server.start("slow", {}, "?wait=true");
  await server.advance(59_000);
  await server.advance(2_000);
  const answer = await waiting as unknown as {
    state: { current: string };
    taskRunList: object[];
    url: string;
  };
  assertEquals([answer.state.current, answer.taskRunList.length], ["SUCCESS", 1]);
  assertStringIncludes(answer.url, "/ui/executions/demo/slow/");
});

for (
  const date of ["2026-01-15T11:30:00%2B01:00", "2026-01-15T11:30:00+01:00", "2026-01-15T10:30:00.000Z[UTC]"]
) {
  Deno.test(`POST /executions/:namespace/:flowId?scheduleDate=${date} is read`, async () => {
    await using server = await Harness.start();
    await server.save(source("hello"));
    const answer = await server.start("hello", {}, `?scheduleDate=${date}`);
    assertEquals(answer.scheduleDate, "2026-01-15T10:30:00.000Z");
  });
}

Deno.test("POST /executions/:namespace/:flowId?scheduleDate= starts at that time", async () => {
  await using server = await Harness.start();
  await server.save(source("hello"));
  const date = new Date(FAKE_START + 3_600_000).toISOString();
  const { id } = await server.start("hello", {}, `?scheduleDate=${date}`);
  await server.advance(3_599_000);
  assertEquals((await server.execution(id)).state.current, "CREATED");
  await server.advance(2_000);
  assertEquals((await server.execution(id)).state.current, "SUCCESS");
});

const FILES: readonly (readonly [string, string, RegExp])[] = [
  ["by its input's name", file("data", "rows.csv", "a,b"), /\/inputs\/data\/rows\.csv$/],
  ["in the older form", file("files", "data", "a,b"), /\/inputs\/data\/data\.upl$/],
  ["with a path for a name", file("data", "../../etc/passwd", "a,b"), /\/inputs\/data\/passwd$/],
  ["with a name of dots", file("data", "..", "a,b"), /\/inputs\/data\/data$/],
  [
    "with a path of another system",
    file("data", "C:\\\\temp\\\\rows.csv", "a,b"),
    /\/inputs\/data\/rows\.csv$/,
  ],
];
for (const [what, part, uri] of FILES) {
  Deno.test(`POST /executions/:namespace/:flowId keeps a file sent ${what}`, async () => {
    await using server = await Harness.start();
    await server.save(source("hello", FILE_INPUT));
    const answer = await server.json("POST", "/executions/demo/hello", multipart(part));
    assertMatch((answer as { inputs: { data: string } }).inputs.data, uri);
  });
}

const BASES: readonly (readonly [string, string | undefined, string, string])[] = [
  ["configured", "https://flows.example.com/base", "http://127.0.0.1:8080", "https://flows.example.com/base"],
  ["asked for", undefined, "http://localhost:9000", "http://localhost:9000"],
];
for (const [what, baseUrl, origin, expected] of BASES) {
  Deno.test(`POST /executions/:namespace/:flowId links to the ${what} address`, async () => {
    await using server = await Harness.start({ baseUrl });
    await server.save(source("hello"));
    const request = new Request(`${origin}/api/v1/main/executions/demo/hello?kind=TEST`, { method: "POST" });
    const { id, url } = await (await server.assembly.fetch(request)).json();
    assertEquals(url, `${expected}/ui/executions/demo/hello/${id}`);
  });
}

Deno.test("POST /executions/:namespace/:flowId links to the page of its tenant", async () => {
  await using server = await Harness.start();
  await server.json("POST", "/api/v1/tenants", json('{"id":"blue","name":"Blue"}'));
  await server.json("POST", "/api/v1/blue/flows", {
    headers: { "content-type": "text/yaml" },
    body: source("hello"),
  });
  const answer = await server.json("POST", "/api/v1/blue/executions/demo/hello");
  const { id, url } = answer as unknown as { id: string; url: string };
  assertEquals(url, `http://127.0.0.1:8080/ui/blue/executions/demo/hello/${id}`);
  const page = await server.request("GET", new URL(url).pathname);
  await page.body?.cancel();
  assertEquals(page.status, 200);
  const elsewhere = await server.request("GET", `/executions/${id}`);
  await elsewhere.body?.cancel();
  assertEquals(elsewhere.status, 404);
});

Deno.test("GET /executions/:id returns the execution with its task runs", async () => {
  await using server = await Harness.start();
  const execution = await server.run(source("hello"));
  assertObjectMatch(execution, { flowId: "hello", originalId: execution.id });
  assertEquals(execution.taskRunList.map(({ outputs }) => outputs), [{ value: "a" }]);
});

for (const id of ["exec_id_not_found", "A".repeat(22), "x".repeat(5_000)]) {
  Deno.test(`GET /executions/${id.slice(0, 30)} returns 404`, async () => {
    await using server = await Harness.start();
    for (
      const [method, path] of [["GET", ""], ["DELETE", ""], ["DELETE", "/kill"], ["DELETE", "/actions/kill"]]
    ) {
      const response = await server.request(String(method), `/executions/${id}${path}`);
      await response.body?.cancel();
      assertEquals(response.status, 404);
    }
  });
}

Deno.test("DELETE /executions/:id returns 204, and 404 the second time", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(source("hello"));
  const statuses = [];
  for (let i = 0; i < 2; i++) {
    const response = await server.request("DELETE", `/executions/${id}`);
    await response.body?.cancel();
    statuses.push(response.status);
  }
  assertEquals(statuses, [204, 404]);
});

const KILLS = [["DELETE", "kill"], ["DELETE", "actions/kill"], ["POST", "kill"], [
  "POST",
  "actions/kill",
]] as const;
for (const [method, action] of KILLS) {
  Deno.test(`${method} /executions/:id/${action} stops an execution, and refuses one that has ended`, async () => {
    await using server = await Harness.start();
    await server.save(slow("slow"));
    const { id } = await server.start("slow");
    const answer = await server.json(method, `/executions/${id}/${action}`);
    assertObjectMatch(answer as object, { id });
    await settle();
    assertEquals((await server.execution(id)).state.current, "KILLED");
    const again = await server.request(method, `/executions/${id}/${action}`);
    await again.body?.cancel();
    assertEquals(again.status, 409);
  });
}

Deno.test("GET /executions lists the executions of a flow without task runs", async () => {
  await using server = await Harness.start();
  const first = await server.run(source("hello"));
  const second = await server.start("hello");
  await server.run(source("other"));
  const { results, total } = await server.page("/executions?namespace=demo&flowId=hello");
  assertEquals([results.map(({ id }) => id), total], [[second.id, first.id], 2]);
  assertEquals("taskRunList" in (results[0] ?? {}), false);
  const page = await server.json("GET", "/executions?namespace=demo&flowId=hello&page=2&size=1");
  assertObjectMatch(page as object, { total: 2 });
});

for (const query of ["", "?namespace=demo", "?flowId=hello"]) {
  Deno.test(`GET /executions${query} returns 400`, async () => {
    await using server = await Harness.start();
    const response = await server.request("GET", `/executions${query}`);
    await response.body?.cancel();
    assertEquals(response.status, 400);
  });
}

Deno.test("GET /executions/search returns a page and the total", async () => {
  await using server = await Harness.start();
  await server.run(source("hello"));
  const answer = await server.json("GET", "/executions/search?size=5") as {
    results: object[];
    total: number;
  };
  assertEquals([answer.results.length, answer.total], [1, 1]);
  assertEquals("taskRunList" in (answer.results[0] ?? {}), false);
});

Deno.test("GET /executions/:id/follow of an ended execution sends its end alone", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(source("hello"));
  const response = await server.request("GET", `/executions/${id}/follow`);
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  await using reader = new EventReader(response);
  await settle();
  assertEquals([reader.ids, reader.isEnded], ["end", true]);
  assertObjectMatch(reader.events[0]?.data, { id, state: { current: "SUCCESS" } });
});

Deno.test("GET /executions/:id/follow sends start, each change, and the end", async () => {
  await using server = await Harness.start();
  await server.save(slow("slow"));
  const { id } = await server.start("slow");
  await using reader = new EventReader(await server.request("GET", `/executions/${id}/follow`));
  await settle();
  assertEquals(reader.ids, "start progress");
  assertEquals(reader.events[0]?.data, reader.events[1]?.data);
  assertObjectMatch(reader.events[1]?.data, { id, state: { current: "RUNNING" } });
  assertEquals(reader.events[1]?.data.taskRunList.length, 1);
  await server.advance(61_000);
  assertEquals([reader.ids, reader.isEnded], ["start progress end", true]);
  assertObjectMatch(reader.events[2]?.data, { state: { current: "SUCCESS" } });
});

Deno.test("GET /executions/:id/follow joins changes that come faster than 20 a second", async () => {
  const tasks = Array.from(
    { length: 50 },
    (_, index) => `  - id: t${index}\n    type: io.svc.plugin.core.flow.Sleep\n    duration: PT0.01S\n`,
  );
  await using server = await Harness.start();
  await server.save(`id: busy\nnamespace: demo\ntasks:\n${tasks.join("")}`);
  const { id } = await server.start("busy");
  await using reader = new EventReader(await server.request("GET", `/executions/${id}/follow`));
  for (let i = 0; i < 100; i++) await server.advance(10);
  assertEquals(reader.events.at(-1)?.id, "end");
  assertEquals(reader.events.length <= 14, true, `${reader.events.length} events in half a second`);
});

Deno.test("GET /executions/:id/follow returns 404 after ten seconds", async () => {
  await using server = await Harness.start();
  const answer = server.request("GET", `/executions/${idPrefix(FAKE_START)}${"0".repeat(11)}/follow`);
  await server.advance(9_900);
  await server.advance(200);
  const response = await answer;
  await response.body?.cancel();
  assertEquals(response.status, 404);
});

Deno.test("GET /executions/:id/follow of an invalid id returns 404 at once", async () => {
  await using server = await Harness.start();
  const response = await server.request("GET", "/executions/nothing/follow");
  await response.body?.cancel();
  assertEquals(response.status, 404);
});

Deno.test("GET /executions/:id/follow holds nothing when the client is gone", async () => {
  await using server = await Harness.start();
  await server.save(slow("slow"));
  const { id } = await server.start("slow");
  await settle();
  const timers = server.clock.timerCount;
  await using reader = new EventReader(await server.request("GET", `/executions/${id}/follow`));
  await settle();
  await reader.leave();
  await server.advance(1_500);
  assertEquals(server.clock.timerCount, timers);
});

Deno.test("GET /executions/:id/follow ends when the execution is deleted", async () => {
  await using server = await Harness.start();
  await server.save(slow("slow"));
  const { id } = await server.start("slow");
  await using reader = new EventReader(await server.request("GET", `/executions/${id}/follow`));
  await server.advance(100);
  const response = await server.request("DELETE", `/executions/${id}`);
  await response.body?.cancel();
  await server.advance(100);
  assertEquals([reader.ids, reader.isEnded], ["start progress", true]);
});
