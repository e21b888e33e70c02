import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { Hono } from "hono";
import type { AppEnv } from "../../src/http/env.ts";
import type { Mount } from "../../src/http/pipeline/mount.ts";
import { DomainError } from "../../src/model/errors.ts";
import { basicHeader, parseLine, sampleMounts, startApp } from "./app_under_test.ts";

const ROUTING: [method: string, path: string, status: number, body?: object][] = [
  ["GET", "/api/v1/main/flows/search", 200, { tenant: "main", user: "anonymous", isSearch: true }],
  ["GET", "/api/v1/flows/search", 200, { tenant: "main", user: "anonymous", isSearch: true }],
  ["GET", "/api/v1/acme/flows/search", 200, { tenant: "acme", user: "anonymous", isSearch: true }],
  ["GET", "/api/v1/flows/flows/main", 200, {
    tenant: "main",
    user: "anonymous",
    namespace: "flows",
    id: "main",
  }],
  ["GET", "/api/v1/main/flows/a%2Fb/%C3%A9%25", 200, {
    tenant: "main",
    user: "anonymous",
    namespace: "a/b",
    id: "é%",
  }],
  ["POST", "/api/v1/executions/company.team/restart", 200, {
    tenant: "main",
    user: "anonymous",
    namespace: "company.team",
    id: "restart",
  }],
  ["GET", "/api/v1/nope/flows/search", 404],
  ["GET", "/api/v1/MAIN/flows/search", 404],
  ["GET", "/api/v1/tenants/flows/search", 404],
  ["GET", "/api/v1/flows", 405],
  ["PATCH", "/api/v1/main/flows/search", 405],
  ["GET", "/api/v1/main/unknown", 404],
  ["GET", "/api/v1", 404],
  ["GET", "/unknown", 404],
];

Deno.test("createApp() routes with and without tenant", async () => {
  await using server = await startApp();
  await server.tenants.create({ id: "acme", name: "Acme" });
  for (const [method, path, status, body] of ROUTING) {
    const response = await server.send(path, { method });
    assertEquals(response.status, status, `${method} ${path}`);
    const answer = await response.json();
    if (body) assertEquals(answer, body, path);
  }
});

Deno.test("createApp() returns 405 with Allow when the path has another method", async () => {
  await using server = await startApp();
  const cases: [method: string, path: string, allow: string][] = [
    ["PATCH", "/api/v1/main/flows/search", "GET, HEAD"],
    ["PUT", "/api/v1/flows", "POST"],
    ["DELETE", "/api/v1/main/executions/webhook/a/b/c", "GET, HEAD, POST, PUT"],
    ["POST", "/ping", "GET, HEAD"],
    ["PATCH", "/api/v1/tenants/acme", "DELETE, GET, HEAD, PUT"],
  ];
  for (const [method, path, allow] of cases) {
    const response = await server.send(path, { method });
    assertEquals([response.status, response.headers.get("allow")], [405, allow], path);
    assertStringIncludes((await response.json()).message, method);
  }
});

Deno.test("createApp() handles HEAD as GET without a body", async () => {
  await using server = await startApp();
  const response = await server.send("/api/v1/main/flows/search", { method: "HEAD" });
  assertEquals([response.status, await response.text()], [200, ""]);
});

Deno.test("createApp() accepts a sane X-Request-Id and makes up another", async () => {
  await using server = await startApp();
  const sane = ["a", "req-1_2.3:4/5", "x".repeat(64)];
  for (const id of sane) {
    const response = await server.send("/ping", { headers: { "x-request-id": id } });
    assertEquals(response.headers.get("x-request-id"), id);
  }
  const made = new Set<string | null>();
  for (const id of [undefined, "", "a b", "x".repeat(65), 'a"b', "é"]) {
    const response = await server.send("/nothing", {
      headers: id === undefined ? {} : { "x-request-id": id },
    });
    const given = response.headers.get("x-request-id");
    assertMatch(given ?? "", /^[0-9a-f]{10}-[0-9a-z]+$/);
    assertEquals((await response.json()).traceId, given);
    made.add(given);
  }
  assertEquals(made.size, 6);
});

function failingMounts(): Mount[] {
  const routes = new Hono<AppEnv>();
  routes.get("/bug", () => {
    throw new TypeError("secret detail");
  });
  routes.get("/async-bug", () => Promise.reject(new Error("secret detail")));
  routes.get("/internal", () => {
    throw new DomainError("internal", "secret detail");
  });
  routes.get("/busy", () => {
    throw new DomainError("too_many_requests", "Cannot start: busy", { retryAfter: 7 });
  });
  return [{ path: "/flows", routes }];
}

Deno.test("createApp() shows nothing of a bug, and logs it with the request's id", async () => {
  const log: string[] = [];
  await using server = await startApp({ tenantRoutes: failingMounts(), log });
  for (const name of ["bug", "async-bug", "internal"]) {
    log.length = 0;
    const response = await server.send(`/api/v1/flows/${name}`, { headers: { "x-request-id": "r1" } });
    const text = await response.text();
    assertEquals([response.status, text.includes("secret")], [500, false]);
    assertEquals(JSON.parse(text).message, "Internal server error");
    const line = log.map(parseLine).find((line) => line.message === "A request failed");
    assertEquals(line?.requestId, "r1");
    assertStringIncludes(String(line?.reason), "secret detail");
  }
});

Deno.test("createApp() sends Retry-After with refusals that know it", async () => {
  await using server = await startApp({ tenantRoutes: failingMounts() });
  const response = await server.send("/api/v1/flows/busy");
  assertEquals([response.status, response.headers.get("retry-after")], [429, "7"]);
  await response.body?.cancel();
});

Deno.test("createApp() logs refused requests alone at level info", async () => {
  const log: string[] = [];
  await using server = await startApp({ log });
  const cases: [path: string, messages: string[]][] = [["/api/v1/main/flows/search", []], ["/unknown", [
    "Request refused",
  ]]];
  for (const [path, messages] of cases) {
    log.length = 0;
    const response = await server.send(path);
    await response.body?.cancel();
    assertEquals(log.map((line) => parseLine(line).message), messages);
  }
});

Deno.test("createApp() logs one line a request at level debug, without query and never with a webhook's key", async () => {
  const log: string[] = [];
  await using server = await startApp({ log, logLevel: "debug" });
  const paths: [path: string, status: number, logged: string][] = [
    ["/api/v1/main/flows/search?q=hidden", 200, "/api/v1/main/flows/search"],
    [
      "/api/v1/executions/webhook/ns/flow/hidden?x=hidden",
      200,
      "/api/v1/:tenant/executions/webhook/:namespace/:id/:key",
    ],
    ["/api/v1/main/executions/webhok/ns/flow/hidden", 404, "/api/v1/main"],
    ["/api/v1/main/executions/webhook/ns/flow/hidden/more", 404, "/api/v1/main"],
    [
      "/api/v1/nope/executions/webhook/ns/flow/hidden",
      404,
      "/api/v1/:tenant/executions/webhook/:namespace/:id/:key",
    ],
  ];
  for (const [path, status, logged] of paths) {
    log.length = 0;
    const response = await server.send(path, {
      headers: { "x-request-id": "r2", authorization: "Basic hidden" },
    });
    await response.body?.cancel();
    assertEquals(log.length, 1);
    assertEquals(log[0]?.includes("hidden"), false, path);
    const { method, path: shown, status: code, requestId, ms } = parseLine(log[0]);
    assertEquals([method, shown, code, requestId, ms], ["GET", logged, status, "r2", 0]);
  }
});

Deno.test("createApp() does not show a webhook's key in refusals", async () => {
  await using server = await startApp();
  const response = await server.send("/api/v1/nope/executions/webhook/ns/flow/hidden");
  assertEquals((await response.text()).includes("hidden"), false);
});

Deno.test("createApp() refuses middleware, and a second handler of a route", async () => {
  const withMiddleware = new Hono<AppEnv>();
  withMiddleware.use("*", async (_, next) => await next());
  const withTwo = new Hono<AppEnv>().get("/a", async (_, next) => await next(), (c) => c.text("a"));
  for (const [routes, reason] of [[withMiddleware, "middleware"], [withTwo, "one of that shape"]] as const) {
    await assertRejects(() => startApp({ tenantRoutes: [{ path: "/flows", routes }] }), Error, reason);
  }
});

Deno.test("createApp() sets the headers of pages on pages alone", async () => {
  const webRoutes = new Hono<AppEnv>();
  webRoutes.get("/", (c) => c.html("<p>home"));
  webRoutes.get("/*", (c) => c.html("<p>view"));
  await using server = await startApp({
    webRoutes,
    isProtected: true,
    config: { baseUrl: "https://s.example" },
  });
  for (
    const [path, body] of [["/ui", "<p>home"], ["/ui/", "<p>home"], ["/ui/flows/a/b", "<p>view"]] as const
  ) {
    const response = await server.send(path, { headers: basicHeader() });
    assertEquals(await response.text(), body);
    const policy = response.headers.get("content-security-policy") ?? "";
    assertStringIncludes(policy, "frame-ancestors 'none'");
    assertEquals(policy.includes("unsafe"), false);
    assertEquals(response.headers.get("x-content-type-options"), "nosniff");
    assert(response.headers.has("referrer-policy"));
    assert(response.headers.has("strict-transport-security"));
    assertEquals((await server.send(path)).status, 401);
  }
  const api = await server.send("/ping");
  assertEquals(api.headers.get("content-security-policy"), "sandbox; default-src 'none'");
});

Deno.test("createApp() refuses a resource that could be a tenant, two routes of a shape, and a wrong protection", async () => {
  const routes = sampleMounts()[0]?.routes as Hono<AppEnv>;
  await assertRejects(
    () => startApp({ tenantRoutes: [{ path: "/acme", routes }] }),
    Error,
    "a tenant could have this id",
  );
  const twice = [{ path: "/flows", routes }, { path: "/flows", routes }];
  await assertRejects(() => startApp({ tenantRoutes: twice }), Error, "there is one of that shape");
  await assertRejects(() => startApp({ config: { isProtected: true } }), Error, "disagree");
});

Deno.test("GET /ping, /health, / and /configs describe the server", async () => {
  let isReady = false;
  await using server = await startApp({ isProtected: true, isReady: () => isReady });
  assertEquals(await (await server.send("/ping")).text(), "pong");
  const down = await server.send("/health");
  assertEquals([down.status, await down.json()], [503, { status: "DOWN" }]);
  isReady = true;
  const up = await server.send("/health");
  assertEquals([up.status, await up.json()], [200, { status: "UP" }]);
  const home = await server.send("/", { headers: basicHeader() });
  assertEquals([home.status, home.headers.get("location")], [307, "/ui/"]);
  const configs = await (await server.send("/api/v1/configs")).json();
  assertEquals([configs.version, configs.edition, configs.isBasicAuthInitialized], ["1.2.3", "OSS", true]);
  assertEquals(await (await server.send("/api/v1/main/configs")).json(), configs);
  assertEquals((await server.send("/api/v1/nope/configs")).status, 401);
  assertNotEquals(configs.preview, undefined);
});
