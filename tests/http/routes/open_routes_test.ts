import { assert, assertEquals } from "@std/assert";
import { ADMIN, type AppUnderTest } from "../app_under_test.ts";
import { ROUTE_FILES, startProduct } from "../product_app.ts";

/** All routes without credentials. A route in this list is open to the world. */
const PUBLIC_ROUTES = [
  "GET /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key",
  "GET /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key/*",
  "GET /api/v1/basicAuthValidationErrors",
  "GET /api/v1/main/configs",
  "GET /api/v1/main/configs/login",
  "GET /health",
  "GET /health/liveness",
  "GET /health/readiness",
  "GET /ping",
  "GET /ui/assets/:name",
  "GET /ui/login",
  "GET /ui/login/",
  "GET /ui/setup",
  "GET /ui/setup/",
  "POST /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key",
  "POST /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key/*",
  "POST /api/v1/login",
  "POST /api/v1/logout",
  "POST /ui/login",
  "POST /ui/login/",
  "POST /ui/logout",
  "POST /ui/logout/",
  "POST /ui/setup",
  "POST /ui/setup/",
  "PUT /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key",
  "PUT /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key/*",
];

/** What opened other servers of this kind when it was appended to a path. */
const SUFFIXES = [
  "",
  "/configs",
  "/configs/login",
  "/health",
  "/ready",
  "/ping",
  "/login",
  "/webhook",
  "/executions/webhook",
  ";x",
  ";/configs",
  "/;/ping",
  "%2fconfigs",
  "%2Fping",
  "%252fconfigs",
  "%00/ping",
  "%3f/configs",
  "%23/configs",
  "?/configs",
  "?x=/ping",
  "#/configs",
  "//",
  "//configs",
  "///ping",
  "/.",
  "/./configs",
  "/..;/ping",
  "/%2e%2e/configs",
  "/..%2fconfigs",
  "\\configs",
  "/CONFIGS",
  ".json",
  "/index.html",
];

/** The path of a route with its parameters filled in, with and without tenant. */
function pathsOf(pattern: string): string[] {
  const filled = pattern.replace(
    /:(\w+)(?:\{[^}]*\})?\??/g,
    (_, name) => name === "tenant" ? "main" : name === "id" ? "A1" : "x1",
  );
  return pattern.startsWith("/api/v1/:tenant") ? [filled, filled.replace("/main", "")] : [filled];
}

function spellings(base: string, suffix: string): string[] {
  return [base + suffix, (base + suffix).replace("/api/", "/API/"), `/${base}${suffix}`];
}

/** A request whose URL is as on the wire: `new Request` would resolve dots and backslashes. */
function rawRequest(path: string, method: string): Request {
  const request = new Request("http://127.0.0.1:8080/", { method });
  Object.defineProperty(request, "url", { value: `http://127.0.0.1:8080${path}` });
  return request;
}

Deno.test("ROUTE_FILES has every file of routes", async () => {
  const root = new URL("../../../src/http/routes/", import.meta.url);
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(root)) {
    const files = isDirectory ? await Array.fromAsync(Deno.readDir(new URL(name, root))) : [];
    paths.push(...isDirectory ? files.map((file) => `${name}/${file.name}`) : [name]);
  }
  assertEquals(paths.sort(), [...ROUTE_FILES.keys()].sort());
});

async function openRoutesOf(server: AppUnderTest): Promise<string[]> {
  const open: string[] = [];
  for (const { method, path } of server.app.routes) {
    const response = await server.app.fetch(rawRequest(pathsOf(path)[0] ?? "", method));
    if (response.status !== 401) open.push(`${method} ${path}`);
    await response.body?.cancel();
  }
  return open.sort();
}

Deno.test("createApp() serves only the listed routes without credentials", async () => {
  await using server = await startProduct();
  assertEquals(await openRoutesOf(server), PUBLIC_ROUTES);
});

Deno.test("createApp() serves the set-up of the first user without credentials before that user is set", async () => {
  await using server = await startProduct({ isUserStored: true });
  const setUp = "POST /api/v1/:tenant/basicAuth";
  assertEquals(await openRoutesOf(server), [...PUBLIC_ROUTES, setUp].sort());
  const { user, password } = ADMIN;
  await server.firstUser?.setUp({ user, password, isLocal: true, address: "127.0.0.1" });
  assertEquals(await openRoutesOf(server), PUBLIC_ROUTES);
});

Deno.test("createApp() returns 401 on every other route, whatever is appended to its path", async () => {
  await using server = await startProduct();
  const isProtected = (route: { method: string; path: string }) =>
    !PUBLIC_ROUTES.includes(`${route.method} ${route.path}`);
  const open = new Set(PUBLIC_ROUTES.flatMap((route) => {
    const [method, path = ""] = route.split(" ");
    return pathsOf(path).map((filled) => `${method} ${filled}`);
  }));
  let count = 0;
  for (const { method, path } of server.app.routes.filter(isProtected)) {
    for (const base of pathsOf(path)) {
      for (const target of SUFFIXES.flatMap((suffix) => spellings(base, suffix))) {
        // With "/login" appended, "/ui" is the path of the log-in page.
        if (open.has(`${method} ${target}`)) continue;
        const response = await server.app.fetch(rawRequest(target, method));
        assertEquals(response.status, 401, `${method} ${target}`);
        count++;
      }
    }
  }
  assert(count > 5_000, `only ${count} requests were tried`);
});
