/** A short run of the fuzzer over HTTP, the parts of it, and the requests that it has found. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { Chance } from "../../crash/chance.ts";
import { brokenRequest } from "./broken_http.ts";
import { boundExecutions, fillServer, tidyServer } from "./fixtures.ts";
import { requestAt } from "./generate.ts";
import { type InProcessServer, startInProcess } from "./in_process.ts";
import { judge, maxMsOf } from "./judge.ts";
import { type FuzzRequest, messageOf, readRequest, storedRequest } from "./message.ts";
import { IdPool } from "./pool.ts";
import { NAMESPACE } from "./recorded.ts";
import { smallerRequest } from "./smaller.ts";
import type { WireResponse } from "./wire.ts";

const REQUESTS = 600;
const SEED = 1;
const encoder = new TextEncoder();

Deno.test("no request of a short run gets a response that it must not get", async () => {
  await using server = await startInProcess();
  const pool = new IdPool();
  await fillServer(server.send, pool);
  const generator = { description: server.rules.description, pool, seed: SEED };
  let sent = 0;
  for (let index = 0; index < REQUESTS; index++) {
    const request = requestAt(generator, index);
    // Nothing moves the clock for a request that waits.
    const response = /wait|\/follow/i.test(request.target) ? undefined : await server.exchange(request);
    if (!response) continue;
    sent++;
    const mistake = judge(request, response, server.rules);
    const shown = `${index}: ${request.method} ${request.target.slice(0, 300)}`;
    assertEquals(mistake, undefined, shown);
  }
  assert(sent > REQUESTS / 2, `only ${sent} requests were sent`);
  await tidyServer(server.send);
});

/** Requests that once got a wrong response: what they show, the steps, and the status of each. */
const FOUND:
  readonly (readonly [rule: string, ...steps: (readonly [request: FuzzRequest, status: number])[]])[] = [
    [
      "a query is read whatever the Host is",
      [get("/api/v1/main/flows/search?size=1", "127.0.0.1:99999"), 200],
      [get("/api/v1/main/executions/search?size=x", "127.0.0.1:99999"), 422],
    ],
    [
      "a webhook path that is not UTF-8 finds no webhook",
      [get("/api/v1/main/executions/webhook/fuzz.a/hooked/fuzz-webhook-key/a/b%c0%ae"), 404],
    ],
    [
      "a flow with an integer beyond every double is saved and listed",
      [save("number", `variables: {n: ${"9".repeat(400)}}\n`), 200],
      [get("/api/v1/main/flows/fuzz.a/number"), 200],
      [get("/api/v1/main/flows/source"), 200],
      [get("/api/v1/main/flows/fuzz.a"), 200],
    ],
    [
      "a flow with an integer of more digits than are kept is saved with its text",
      [save("digits", `variables: {n: ${"9".repeat(5_000)}}\n`), 200],
      [get("/api/v1/main/flows/fuzz.a/digits"), 200],
      [get("/api/v1/main/flows/source"), 200],
    ],
    [
      "an error response is not much longer than the malformed flow it is about",
      [
        post("/api/v1/main/flows", `id: a\ntasks:\n  - {b: c}\n${"e.f, g: [{h: i, j: K}]}\n".repeat(2_000)}`),
        422,
      ],
    ],
  ];

for (const [rule, ...steps] of FOUND) {
  Deno.test(rule, async () => {
    await using server = await startInProcess();
    await fillServer(server.send, new IdPool());
    for (const [request, status] of steps) await assertStatus(server, request, status);
  });
}

async function assertStatus(server: InProcessServer, request: FuzzRequest, status: number): Promise<void> {
  const response = await server.exchange(request);
  assertEquals(response?.status, status, `${request.method} ${request.target}`);
  assertEquals(response && judge(request, response, server.rules), undefined);
}

function get(target: string, host = "127.0.0.1"): FuzzRequest {
  return { method: "GET", target, headers: [["host", host]] };
}

/** Saves a flow of one task with these lines before it. */
function save(id: string, lines: string): FuzzRequest {
  const task = "tasks: [{id: one, type: io.svc.plugin.core.debug.Return, format: x}]\n";
  return post("/api/v1/main/flows", `id: ${id}\nnamespace: fuzz.a\n${lines}${task}`);
}

function post(target: string, yaml: string): FuzzRequest {
  const headers = [["host", "127.0.0.1"], ["content-type", "application/x-yaml"]] as const;
  return { method: "POST", target, headers, body: encoder.encode(yaml) };
}

Deno.test("requestAt() gives the same request for the same seed and number", async () => {
  await using server = await startInProcess();
  const { description } = server.rules;
  const at = (seed: number, index: number) =>
    JSON.stringify(storedRequest(requestAt({ description, pool: new IdPool(), seed }, index)));
  for (let index = 0; index < 100; index++) assertEquals(at(3, index), at(3, index));
  assert([0, 1, 2, 3].some((index) => at(3, index) !== at(4, index)));
});

Deno.test("fillServer() learns ids of executions", async () => {
  await using server = await startInProcess();
  const pool = new IdPool();
  await fillServer(server.send, pool);
  const path = `/main/executions/${pool.id("execution", 0)}`;
  assertEquals((await (await server.send("GET", path)).json()).namespace, NAMESPACE);
});

Deno.test("boundExecutions() removes executions once there are more than allowed", async () => {
  await using server = await startInProcess();
  await fillServer(server.send, new IdPool());
  const totalAfter = async (most: number) => {
    await boundExecutions(server.send, most);
    return (await (await server.send("GET", "/main/executions/search")).json()).total;
  };
  const total = await totalAfter(1_000);
  assert(total > 1);
  assertEquals([await totalAfter(total), await totalAfter(total - 1)], [total, 0]);
});

/** A request, the text of its response, and the time that it may take. */
const TIMES: readonly (readonly [target: string, text: string, ms: number])[] = [
  ["/api/v1/main/executions/search", '{"totalItems":500}', 1_000],
  ["/api/v1/main/executions/kill/by-query?q=a", '{"count":2,"totalItems":500}', 1_500],
  ["/api/v1/main/executions/kill/by-ids", '{"message":"a: 2 of 30 executions do not allow it"}', 1_030],
  ["/api/v1/main/executions/kill/by-ids", "", 1_000],
];
for (const [target, text, ms] of TIMES) {
  Deno.test(`maxMsOf() is ${ms} for ${target} with the response ${text}`, () => {
    const response = { status: 200, headers: new Map(), body: encoder.encode(text), isReusable: true };
    assertEquals(maxMsOf(get(target), response), ms);
  });
}

const RESPONSES:
  readonly (readonly [what: string, response: Partial<WireResponse> & { text?: string }, kind: RegExp])[] = [
    ["a bug", { status: 500 }, /no problem shape/],
    ["an error without the problem shape", { status: 404, text: '{"message":"no"}' }, /no problem shape/],
    ["a status that is not described", { status: 202, text: "{}" }, /disagrees/],
    ["a body that is not described", { text: '{"results":1,"total":0}' }, /disagrees/],
    ["a line of the build", { text: '{"results":[],"total":0,"x":"dist/server/chunk-A1.js:1:2"}' }, /leak/],
    ["a stack trace", { text: '{"results":[],"total":0,"x":"at run (file:///a/src/x.ts:1:2)"}' }, /leak/],
    ["a secret", { text: '{"results":[],"total":0,"x":"planted-stored-secret-07fe"}' }, /leak/],
  ];
for (const [what, response, kind] of RESPONSES) {
  Deno.test(`judge() finds ${what}`, async () => {
    await using server = await startInProcess();
    const headers = new Map([["content-type", "application/json"], ["x-request-id", "r"]]);
    const body = encoder.encode(response.text ?? "");
    const mistake = judge(
      get("/api/v1/main/flows/search"),
      { status: 200, headers, body, isReusable: true, ...response },
      server.rules,
    );
    assert(kind.test(mistake?.kind ?? ""), mistake?.kind);
  });
}

Deno.test("judge() allows the data directory in the settings, and a hidden path nowhere else", async () => {
  await using server = await startInProcess();
  const headers = new Map([["content-type", "application/json"], ["x-request-id", "r"]]);
  const rules = { ...server.rules, hidden: ["/srv/sluice"], dataDir: "/srv/sluice/data" };
  const kindOf = (path: string, body: JsonObject) =>
    judge(
      get(path),
      { status: 200, headers, body: encoder.encode(JSON.stringify(body)), isReusable: true },
      rules,
    )?.kind;
  const settings = { retention: {}, maxUploadBytes: 1, isProtected: false, dataDir: "/srv/sluice/data" };
  assertEquals(kindOf("/api/v1/settings", settings), undefined);
  assertEquals(kindOf("/api/v1/settings", { ...settings, dataDir: "/srv/sluice/x" }), "leak | GET /settings");
  const flows = { results: [], total: 0, x: "/srv/sluice/data" };
  assertEquals(/^leak/.test(kindOf("/api/v1/main/flows/search", flows) ?? ""), true);
});

Deno.test("judge() takes the path of a target with another scheme", async () => {
  await using server = await startInProcess();
  const path = "/api/v1/main/dependencies";
  const response = await server.exchange(get(path));
  assert(response);
  assertEquals(judge(get(`htthttp://127.5..0.1${path}`), response, server.rules), undefined);
});

Deno.test("judge() finds a response without credentials that needs some", async () => {
  await using server = await startInProcess();
  const response = await server.exchange(get("/api/v1/main/flows/search"));
  assert(response);
  const mistake = judge(get("/api/v1/main/flows/search"), response, { ...server.rules, isProtected: true });
  assert(/open to everybody/.test(mistake?.kind ?? ""), mistake?.kind);
});

Deno.test("judge() allows a redirection to the page of the log-in, and to no other page", async () => {
  await using server = await startInProcess();
  const kindOf = (location: string) =>
    judge(get("/ui/flows"), {
      status: 303,
      headers: new Map([["location", location], ["x-request-id", "r"]]),
      body: encoder.encode(""),
      isReusable: true,
    }, { ...server.rules, isProtected: true })?.kind;
  assertEquals(kindOf("/ui/login?from=%2Fui%2Fflows"), undefined);
  assertMatch(kindOf("/ui/flows/demo") ?? "", /open to everybody/);
});

Deno.test("messageOf() frames a body by its length or in chunks", () => {
  const request: FuzzRequest = {
    method: "PUT",
    target: "/a",
    headers: [["x", "1"]],
    body: encoder.encode("12345678"),
  };
  const text = (sent: FuzzRequest) => new TextDecoder().decode(messageOf(sent));
  assertEquals(text(request), "PUT /a HTTP/1.1\r\nx: 1\r\ncontent-length: 8\r\n\r\n12345678");
  const chunked =
    "PUT /a HTTP/1.1\r\nx: 1\r\ntransfer-encoding: chunked\r\n\r\n7\r\n1234567\r\n1\r\n8\r\n0\r\n\r\n";
  assertEquals(text({ ...request, isChunked: true }), chunked);
});

Deno.test("readRequest() is the inverse of storedRequest()", () => {
  const request = brokenRequest(get("/a"), new Chance(1));
  assertEquals(readRequest(JSON.parse(JSON.stringify(storedRequest(request)))), request);
});

Deno.test("smallerRequest() keeps what the mistake needs", async () => {
  const request: FuzzRequest = {
    method: "POST",
    target: "/a?b=1&c=2&d=3",
    headers: [["host", "h"], ["x", "1"], ["y", "2"]],
    body: encoder.encode("abc"),
  };
  const smaller = await smallerRequest(
    request,
    ({ target, headers }) =>
      Promise.resolve(target.includes("c=2") && headers.some(([name]) => name === "y")),
  );
  assertEquals([smaller.target, smaller.headers.length, smaller.body], ["/a?c=2", 2, undefined]);
});
