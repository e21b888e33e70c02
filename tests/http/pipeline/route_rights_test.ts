/** Which role may use which route: every route of the product with every role, and routes that declare nothing. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Hono } from "hono";
import type { AppEnv } from "../../../src/http/env.ts";
import { declaredRight, declaredRoutes } from "../../../src/http/pipeline/route_rights.ts";
import { expressionNameRoutes } from "../../../src/http/routes/flows/expressions.ts";
import { workerRoutes } from "../../../src/http/routes/server/workers.ts";
import type { Role } from "../../../src/model/access/role.ts";
import { type AppUnderTest, basicHeader, bearerHeader, startApp } from "../app_under_test.ts";
import { pageStandIns, ROUTE_FILES } from "../product_app.ts";

/** What a viewer may send although its method is one of changes. */
const VIEWER_MAY_SEND = [
  "POST /dashboards/:id/charts/:chartId",
  "POST /dashboards/:id/charts/:chartId/export/to-csv",
  "POST /dashboards/charts/export/to-csv",
  "POST /dashboards/charts/preview",
  "POST /dashboards/validate",
  "POST /dashboards/validate/chart",
  "POST /executions/latest",
  "POST /flows/export/by-ids",
  "POST /flows/expressions",
  "POST /flows/graph",
  "POST /flows/validate",
  "POST /flows/validate/task",
  "POST /flows/validate/trigger",
  "POST /namespaces/:namespace/plugindefaults/export",
  "POST /namespaces/autocomplete",
  "POST /plugins/pluginUiManifest",
  "POST /stats/executions/daily",
  "POST /stats/executions/daily/group-by-flow",
  "POST /stats/executions/daily/group-by-namespace",
  "POST /stats/executions/latest/group-by-flow",
  "POST /stats/logs/daily",
  "POST /stats/summary",
  "POST /stats/taskruns/daily",
  "PUT /me/password",
];

/** What only an admin may read. */
const ADMIN_READS = [
  "GET /auditlogs/export/by-query/csv",
  "GET /auditlogs/export/by-query/json",
  "GET /auditlogs/search",
  "GET /backups",
  "GET /backups/:id",
  "GET /backups/:id/download",
  "GET /users",
  "GET /users/:name",
  "GET /users/:name/api-tokens",
];

/** What only an admin may send. */
const ADMIN_SENDS = [
  "DELETE /backups/:id",
  "DELETE /tenants/:id",
  "DELETE /users/:name",
  "DELETE /users/:name/api-tokens/:id",
  "PATCH /users/:name",
  "PATCH /users/:name/password",
  "PATCH /users/:name/superadmin",
  "POST /backups",
  "POST /basicAuth",
  "POST /tenants",
  "POST /users",
  "POST /users/:name/api-tokens",
  "PUT /tenants/:id",
  "PUT /users/:name",
];

/** The decision for a caller, which the first words of a refusal show. */
const REFUSED = 'Forbidden: this needs the role "';
const PASSWORD = "correct:horse";

/** The routes of a file, each with a handler that does nothing. */
function standIns(routes: Hono<AppEnv>): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  for (const { method, path } of routes.routes) app.on(method, path, (c) => c.text("handled"));
  return app;
}

/** The application with every route of the product; those outside of `app.ts` do nothing. */
function startStandIns(): Promise<AppUnderTest> {
  const none = {} as never;
  const files = [...ROUTE_FILES].filter(([name]) => name !== "server/pages.ts");
  return startApp({
    isProtected: true,
    tenantRoutes: files.flatMap(([name, build]) => {
      if (build === undefined) return [];
      const routes = standIns(build(none));
      const isWebhook = name === "triggers/webhooks.ts";
      return [isWebhook ? { path: "/executions/webhook", routes, access: "webhook" as const } : { routes }];
    }),
    globalRoutes: [
      { routes: standIns(expressionNameRoutes(none)) },
      { path: "/worker", routes: standIns(workerRoutes(none)), access: "worker" },
    ],
    webRoutes: pageStandIns(standIns),
  });
}

/** Method and pattern relative to the tenant, `/api/v1` or the root. */
function keyOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path.replace(/^\/api\/v1(?:\/:tenant)?/, "").replace(/\{[^}]*\}/g, "")}`;
}

function requestPath(pattern: string): string {
  return pattern.replace(/:(\w+)(?:\{[^}]*\})?/g, (_, name) => name === "tenant" ? "main" : "A1")
    .replace("*", "x");
}

/** Open routes: no right is asked for. A webhook has its key. */
const OPEN = [
  /^\/ping$|^\/health(?:\/liveness|\/readiness)?$/,
  /^\/ui\/(?:login\/?|logout\/?|setup\/?|assets\/:name)$/,
  /^\/api\/v1\/(?:login|logout|basicAuthValidationErrors|main\/configs(?:\/login)?)$/,
  /^\/api\/v1\/:tenant\/executions\/webhook\//,
];

/** False for open routes, and for those of workers, which have a test of their own. */
function isDecidedByRight({ path }: { readonly path: string }): boolean {
  return !OPEN.some((pattern) => pattern.test(path)) && !path.startsWith("/api/v1/worker/");
}

function mayUse(role: Role, key: string): boolean {
  const [method] = key.split(" ");
  if (ADMIN_READS.includes(key) || ADMIN_SENDS.includes(key)) return role === "admin";
  return role !== "viewer" || method === "GET" || VIEWER_MAY_SEND.includes(key);
}

Deno.test("createApp() decides by the role of the caller on every route", async () => {
  await using server = await startStandIns();
  const headers = await headersOfRoles(server);
  const wrong: string[] = [];
  let count = 0;
  for (const route of server.app.routes.filter(isDecidedByRight)) {
    const key = keyOf(route);
    for (const [role, header] of headers) {
      const response = await server.send(requestPath(route.path), { method: route.method, headers: header });
      const isRefused = response.status === 403 && (await response.text()).includes(REFUSED.slice(0, 24));
      if (isRefused === mayUse(role, key)) wrong.push(`${role} ${key}: ${isRefused ? "refused" : "let in"}`);
      count++;
    }
  }
  assertEquals(wrong, []);
  assertEquals(count > 900, true, `${count} decisions`);
});

/** Users of each role, and a token of an admin with each role. */
async function headersOfRoles(server: AppUnderTest): Promise<[Role, Record<string, string>][]> {
  const headers: [Role, Record<string, string>][] = [["admin", basicHeader()]];
  for (const role of ["viewer", "editor"] as const) {
    await server.users.create({ user: role, password: PASSWORD, role });
    headers.push([role, basicHeader({ user: role, password: PASSWORD })]);
    const { secret } = await server.tokens.create("admin", { name: role, extended: false, role });
    headers.push([role, bearerHeader(secret)]);
  }
  return headers;
}

Deno.test("every route has a declared right, and every declaration a route", async () => {
  await using server = await startStandIns();
  const routes = server.app.routes.filter(isDecidedByRight).filter(({ path }) => !path.startsWith("/ui"));
  const keys = routes.map((route) => keyOf(route));
  const undeclared = keys.filter((key) => {
    const [method = "", path = ""] = key.split(" ");
    return declaredRight(method, path) === undefined;
  });
  assertEquals(undeclared, [], "new routes: add them to src/http/pipeline/route_rights.ts");
  const workers = server.app.routes.filter(({ path }) => path.startsWith("/api/v1/worker/")).map(keyOf);
  const known = new Set([...keys, ...workers]);
  assertEquals(declaredRoutes().filter((key) => !known.has(key)), []);
});

Deno.test("createApp() closes a route that declares nothing to all but admins", async () => {
  const routes = new Hono<AppEnv>().get("/new", (c) => c.text("")).get("/flows/search", (c) => c.text(""));
  await using server = await startApp({ isProtected: true, tenantRoutes: [{ path: "/flows", routes }] });
  const statuses: [string, number][] = [];
  for (const [role, headers] of await headersOfRoles(server)) {
    statuses.push([role, (await server.send("/api/v1/main/flows/new", { headers })).status]);
  }
  assertEquals(statuses, [["admin", 200], ["viewer", 403], ["viewer", 403], ["editor", 403], [
    "editor",
    403,
  ]]);
});

Deno.test("createApp() says which role a refused request needs", async () => {
  await using server = await startStandIns();
  await server.users.create({ user: "vera", password: PASSWORD, role: "viewer" });
  const headers = basicHeader({ user: "vera", password: PASSWORD });
  const response = await server.send("/api/v1/main/executions/a/b", { method: "POST", headers });
  assertEquals(response.status, 403);
  assertStringIncludes((await response.json()).message, `${REFUSED}editor"; the caller has "viewer"`);
});

/** Spellings of a path that other servers took for one that is open to more callers. */
const SPELLINGS = [
  "/api/v1/main/executions/a/b?x=/flows/search",
  "/api/v1/main/executions/a/b#/flows/search",
  "/api/v1/main//executions/a/b",
  "/api/v1/main/flows/search/../../executions/a/b",
  "/api/v1/main/executions/a%2Fb/b",
  "/api/v1/executions/a/b",
  "/API/v1/main/executions/a/b",
];

Deno.test("createApp() starts nothing for a viewer, however the path is spelled", async () => {
  await using server = await startStandIns();
  await server.users.create({ user: "vera", password: PASSWORD, role: "viewer" });
  const headers = basicHeader({ user: "vera", password: PASSWORD });
  for (const path of SPELLINGS) {
    const { status } = await server.send(path, { method: "POST", headers });
    assertEquals([path, status >= 400], [path, true]);
  }
});

Deno.test("a worker's token works only while its user is an admin", async () => {
  const handler = new Hono<AppEnv>().post("/connect", (c) => c.text(""));
  await using server = await startApp({
    isProtected: true,
    globalRoutes: [{ path: "/worker", routes: handler, access: "worker" }],
  });
  await server.users.create({ user: "ada", password: PASSWORD, role: "admin" });
  const request = { name: "w", extended: false, workerGroups: ["gpu"] };
  const { secret } = await server.tokens.create("ada", request);
  const connect = async () =>
    (await server.send("/api/v1/worker/connect", { method: "POST", headers: bearerHeader(secret) })).status;
  assertEquals(await connect(), 200);
  await server.users.change("ada", { role: "editor" });
  assertEquals(await connect(), 403);
  await server.users.remove("ada");
  assertEquals(await connect(), 401);
});
