import { assertEquals, assertRejects } from "@std/assert";
import { Hono } from "hono";
import type { AppEnv } from "../../../src/http/env.ts";
import type { Mount } from "../../../src/http/pipeline/mount.ts";
import { ADMIN, type AppUnderTest, basicHeader, bearerHeader, startApp } from "../app_under_test.ts";

Deno.test("createApp() returns the same 401 for missing, wrong, malformed, expired and revoked credentials", async () => {
  await using server = await startApp({ isProtected: true });
  const expired = await server.tokens.create("admin", { name: "old", maxAgeMs: 1000, extended: false });
  const revoked = await server.tokens.create("admin", { name: "gone", extended: false });
  const anonymous = await server.tokens.create("anonymous", { name: "early", extended: false });
  await server.tokens.revoke(revoked.token.id);
  await server.clock.advance(1000);
  const headers: Record<string, string>[] = [
    {},
    { authorization: "" },
    { authorization: "Basic" },
    { authorization: "Basic " },
    { authorization: "Basic !!!" },
    { authorization: `Basic ${btoa("nocolon")}` },
    { authorization: `Digest ${btoa("admin:correct:horse")}` },
    basicHeader({ user: "admin", password: "wrong" }),
    basicHeader({ user: "nobody", password: ADMIN.password }),
    basicHeader({ user: "ADMIN", password: ADMIN.password }),
    basicHeader({ user: "admin", password: "" }),
    bearerHeader("sluice_unknown"),
    bearerHeader("__proto__"),
    bearerHeader(ADMIN.password),
    bearerHeader(expired.secret),
    bearerHeader(revoked.secret),
    bearerHeader(anonymous.secret),
    bearerHeader(`${anonymous.secret} x`),
  ];
  const answers = new Set<string>();
  for (const header of headers) {
    const response = await server.send("/api/v1/main/flows/search", {
      headers: { ...header, "x-request-id": "same" },
    });
    answers.add(JSON.stringify([response.status, [...response.headers], await response.text()]));
  }
  assertEquals(answers.size, 1);
  const [status, fields, body] = JSON.parse([...answers][0] ?? "");
  assertEquals(status, 401);
  assertEquals(new Headers(fields).get("www-authenticate"), 'Basic realm="Sluice"');
  assertEquals(JSON.parse(body).message, "Unauthorized: valid credentials are needed");
});

Deno.test("createApp() accepts the user's password and tokens, in any case of the scheme", async () => {
  await using server = await startApp({ isProtected: true });
  const { secret } = await server.tokens.create("admin", { name: "ci", extended: false });
  const good = [
    basicHeader(),
    { authorization: `bAsIc ${btoa("admin:correct:horse")}` },
    bearerHeader(secret),
    { authorization: `BEARER ${secret}` },
  ];
  for (const headers of good) {
    for (let time = 0; time < 2; time++) {
      const response = await server.send("/api/v1/main/flows/search", { headers });
      assertEquals(response.status, 200);
      assertEquals((await response.json()).user, "admin");
    }
  }
});

Deno.test("createApp() requires no credentials on an unprotected server, and ignores those sent", async () => {
  await using server = await startApp();
  for (const headers of [{}, basicHeader(), bearerHeader("sluice_x")]) {
    const response = await server.send("/api/v1/main/flows/search", { headers });
    assertEquals(await response.json(), { tenant: "main", user: "anonymous", isSearch: true });
  }
});

const TENANT_CASES: { caller: "admin" | "all" | "acme" | "none"; path: string; status: number }[] = [
  ...["admin", "all"].flatMap((caller) => [
    { caller: caller as "admin", path: "/api/v1/flows/search", status: 200 },
    { caller: caller as "admin", path: "/api/v1/main/flows/search", status: 200 },
    { caller: caller as "admin", path: "/api/v1/acme/flows/search", status: 200 },
    { caller: caller as "admin", path: "/api/v1/nope/flows/search", status: 404 },
    { caller: caller as "admin", path: "/api/v1/tenants/search", status: 200 },
    { caller: caller as "admin", path: "/api/v1/me/api-tokens", status: 200 },
  ]),
  { caller: "acme", path: "/api/v1/flows/search", status: 404 },
  { caller: "acme", path: "/api/v1/main/flows/search", status: 404 },
  { caller: "acme", path: "/api/v1/main/flows/a/b", status: 404 },
  { caller: "acme", path: "/api/v1/main/executions/Abc", status: 404 },
  { caller: "acme", path: "/api/v1/acme/flows/search", status: 200 },
  { caller: "acme", path: "/api/v1/acme/executions/Abc", status: 200 },
  { caller: "acme", path: "/api/v1/other/flows/search", status: 404 },
  { caller: "acme", path: "/api/v1/nope/flows/search", status: 404 },
  { caller: "acme", path: "/api/v1/tenants/search", status: 403 },
  { caller: "acme", path: "/api/v1/tenants/acme", status: 403 },
  { caller: "acme", path: "/api/v1/me/api-tokens", status: 403 },
  { caller: "none", path: "/api/v1/main/flows/search", status: 404 },
  { caller: "none", path: "/api/v1/acme/flows/search", status: 404 },
  { caller: "none", path: "/api/v1/tenants/search", status: 403 },
];

Deno.test("createApp() admits a token to its tenants; others do not exist for it", async () => {
  await using server = await startApp({ isProtected: true });
  for (const id of ["acme", "other"]) await server.tenants.create({ id, name: id });
  const headers = await callers(server);
  for (const { caller, path, status } of TENANT_CASES) {
    const response = await server.send(path, { headers: headers[caller] });
    assertEquals(response.status, status, `${caller} ${path}`);
    await response.body?.cancel();
  }
  const bodies = [];
  for (const tenant of ["other", "nope"]) {
    const response = await server.send(`/api/v1/${tenant}/flows/search`, { headers: headers["acme"] });
    bodies.push(String((await response.json()).message).replace(tenant, "…"));
  }
  assertEquals(bodies[0], bodies[1]);
});

async function callers(server: AppUnderTest): Promise<Record<string, Record<string, string>>> {
  const all = await server.tokens.create("admin", { name: "all", extended: false });
  const acme = await server.tokens.create("admin", { name: "acme", extended: false, tenants: ["acme"] });
  const none = await server.tokens.create("admin", { name: "none", extended: false, tenants: [] });
  return {
    admin: basicHeader(),
    all: bearerHeader(all.secret),
    acme: bearerHeader(acme.secret),
    none: bearerHeader(none.secret),
  };
}

Deno.test("createApp() keeps a token limited to tenants out of main on pages, too", async () => {
  const webRoutes = new Hono<AppEnv>();
  webRoutes.get("/", (c) => c.json(c.get("actor")));
  webRoutes.get("/:tenant/executions/:id", (c) => c.json(c.get("actor")));
  await using server = await startApp({ isProtected: true, webRoutes });
  for (const id of ["acme", "other"]) await server.tenants.create({ id, name: id });
  const { all, acme } = await callers(server);
  const tenantSeen = async (path: string, headers?: Record<string, string>) => {
    const response = await server.send(path, { headers });
    const body = await response.json();
    return response.status === 200 ? body.tenant : response.status;
  };
  assertEquals([await tenantSeen("/ui", all), await tenantSeen("/ui", acme)], ["main", ""]);
  const paths = ["/ui/main/executions/x", "/ui/acme/executions/x", "/ui/other/executions/x"];
  const seen = await Promise.all(paths.map((path) => tenantSeen(path, acme)));
  assertEquals(seen, [404, "acme", 404]);
});

Deno.test("createApp() returns the same for a webhook of an unknown tenant and of an unknown flow", async () => {
  await using server = await startApp({ isProtected: true });
  const response = await server.send("/api/v1/nope/executions/webhook/a/b/c");
  assertEquals(response.status, 404);
  assertEquals((await response.json()).message, "Not Found: Webhook not found");
  const known = await server.send("/api/v1/executions/webhook/a/b/c");
  assertEquals(await known.json(), { tenant: "main", user: "anonymous", hidesKeys: true, started: "b" });
});

Deno.test("createApp() returns 429 with Retry-After after ten failed log-ins of a user and address", async () => {
  await using server = await startApp({ isProtected: true });
  const attempt = (headers: Record<string, string>, address: string) =>
    server.send("/api/v1/main/flows/search", { headers }, address);
  const wrong = (password: number) => basicHeader({ user: "admin", password: `wrong${password}` });
  assertEquals((await attempt(basicHeader(), "192.0.2.7")).status, 200);
  for (let i = 0; i < 10; i++) assertEquals((await attempt(wrong(i), "192.0.2.7")).status, 401);
  const refused = await attempt(wrong(10), "192.0.2.7");
  assertEquals([refused.status, refused.headers.get("retry-after")], [429, "60"]);
  assertEquals((await attempt(basicHeader(), "192.0.2.7")).status, 200, "verified a moment ago");
  const unseen = { authorization: `basic ${btoa("admin:correct:horse")}` };
  assertEquals((await attempt(unseen, "192.0.2.7")).status, 429);
  assertEquals((await attempt(unseen, "192.0.2.8")).status, 200, "another address");
  assertEquals((await attempt(basicHeader({ user: "eve", password: "x" }), "192.0.2.7")).status, 401);
  await server.clock.advance(60_000);
  assertEquals((await attempt(wrong(11), "192.0.2.7")).status, 401);
});

Deno.test("createApp() refuses routes that claim to be open where none may be", async () => {
  const routes = new Hono<AppEnv>().get("/", (c) => c.text(""));
  const places: Mount[] = [
    { path: "/flows", routes, access: "public" },
    { path: "/flows", routes, access: "webhook" },
    { path: "/executions/webhook", routes, access: "public" },
  ];
  for (const place of places) {
    await assertRejects(() => startApp({ tenantRoutes: [place] }), Error, "it must not be open");
  }
});
