import { assertEquals, assertStringIncludes } from "@std/assert";
import { Hono } from "hono";
import type { AppEnv } from "../../../src/http/env.ts";
import type { Mount } from "../../../src/http/pipeline/mount.ts";
import type { AuditEvent, AuditScope } from "../../../src/model/audit.ts";
import { ADMIN, type AppUnderTest, startApp } from "../app_under_test.ts";

const BASIC = `Basic ${btoa(`${ADMIN.user}:${ADMIN.password}`)}`;
const JSON_TYPE = { "content-type": "application/json" };

function mounts(): Mount[] {
  const routes = new Hono<AppEnv>();
  routes.post("/flows", (c) => {
    c.set("auditedIds", [["namespace", "demo"], ["flowId", "hello"]]);
    return c.json({});
  });
  routes.post("/flows/validate", (c) => c.json({}));
  routes.delete("/flows/:namespace/:flowId", (c) => c.body(null, c.req.query("fail") ? 409 : 204));
  routes.post("/executions/:namespace/:flowId", (c) => c.json({}));
  routes.post("/executions/:id/actions/kill", (c) => c.json({}));
  routes.get("/cluster", (c) => c.json({}));
  const webhook = new Hono<AppEnv>().post("/:namespace/:flowId/:key", (c) => c.json({}));
  return [{ routes }, { path: "/executions/webhook", routes: webhook, access: "webhook" }];
}

interface Trail {
  readonly app: AppUnderTest;
  readonly events: AuditEvent[];
  /** What storing an event waits for. */
  stored: Promise<void>;
  send(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<Response>;
}

async function withTrail(scope: AuditScope, use: (trail: Trail) => Promise<void>): Promise<void> {
  const events: AuditEvent[] = [];
  const add = async (event: AuditEvent) => {
    events.push(event);
    await trail.stored;
  };
  await using app = await startApp({ isProtected: true, tenantRoutes: mounts(), audit: { scope, add } });
  const trail: Trail = {
    app,
    events,
    stored: Promise.resolve(),
    async send(method, path, headers = { authorization: BASIC }, body) {
      const response = await app.send(path, { method, headers, body });
      await response.clone().body?.cancel();
      return response;
    },
  };
  await use(trail);
}

/** Operation, type, status, user, tenant and ids. */
function shown({ operation, type, status, user, tenant, resources }: AuditEvent) {
  const ids = resources.map(([name, id]) => `${name}=${id}`).join(" ");
  return [operation, type, status, user, tenant, ids];
}

Deno.test("a change is recorded with who made it and what it changed; reads, starts and what failed are not", async () => {
  await withTrail("changes", async ({ send, events, app }) => {
    await send("POST", "/api/v1/flows");
    await send("POST", "/api/v1/main/flows/validate");
    await send("DELETE", "/api/v1/main/flows/demo/hello?fail=1");
    await send("DELETE", "/api/v1/main/flows/demo/hello");
    await send("POST", "/api/v1/main/executions/demo/hello");
    await send("POST", "/api/v1/main/executions/webhook/demo/hello/secret-key");
    await send("POST", "/api/v1/main/executions/E1/actions/kill");
    await send("GET", "/api/v1/main/cluster");
    assertEquals(events.map(shown), [
      ["createFlow", "CREATE", 200, "admin", "main", "namespace=demo flowId=hello"],
      ["deleteFlow", "DELETE", 204, "admin", "main", "namespace=demo flowId=hello"],
      ["killExecutionByPost", "UPDATE", 200, "admin", "main", "executionId=E1"],
    ]);
    const [first] = events;
    assertEquals([first?.method, first?.address, first?.at], ["POST", "192.0.2.1", app.clock.now()]);
  });
});

Deno.test("with --audit all starts are recorded, too, but never the key of a webhook", async () => {
  await withTrail("all", async ({ send, events }) => {
    await send("POST", "/api/v1/main/executions/demo/hello");
    await send("POST", "/api/v1/main/executions/webhook/demo/hello/secret-key", {});
    assertEquals(events.map(shown), [
      ["createExecution", "CREATE", 200, "admin", "main", "namespace=demo flowId=hello"],
      ["triggerExecutionByPostWebhook", "CREATE", 200, "anonymous", "main", "namespace=demo flowId=hello"],
    ]);
    assertEquals(JSON.stringify(events).includes("secret-key"), false);
  });
});

Deno.test("the record of a token names it, and never its secret", async () => {
  await withTrail("changes", async ({ send, events }) => {
    const response = await send(
      "POST",
      "/api/v1/me/api-tokens",
      { authorization: BASIC, ...JSON_TYPE },
      '{"name":"ci"}',
    );
    const { id, fullToken } = await response.json();
    await send("DELETE", "/api/v1/main/flows/demo/hello", { authorization: `Bearer ${fullToken}` });
    assertEquals(events.map(({ operation, tokenId }) => [operation, tokenId]), [
      ["createApiTokenForCurrentUser", undefined],
      ["deleteFlow", id],
    ]);
    assertEquals(events[0]?.resources, [["id", id]]);
    assertEquals(events[0]?.tenant, undefined);
    assertEquals(JSON.stringify(events).includes(fullToken), false);
  });
});

Deno.test("log-ins that succeed and fail, and log-outs, are recorded without the password", async () => {
  await withTrail("changes", async ({ send, events }) => {
    const logIn = (password: string) =>
      send("POST", "/api/v1/login", JSON_TYPE, JSON.stringify({ username: ADMIN.user, password }));
    assertEquals((await logIn("wrong-one")).status, 401);
    const entered = await logIn(ADMIN.password);
    const cookie = entered.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ");
    await send("POST", "/api/v1/logout", { cookie });
    await send("POST", "/api/v1/logout", {});
    const wrong = { authorization: `Basic ${btoa("eve:wrong-two")}` };
    assertEquals((await send("DELETE", "/api/v1/main/flows/demo/hello", wrong)).status, 401);
    assertEquals(
      (await send("GET", "/api/v1/main/cluster", { authorization: "Bearer sluice_none" })).status,
      401,
    );
    assertEquals(events.map(shown), [
      ["login", "LOGIN", 401, "admin", undefined, ""],
      ["login", "LOGIN", 200, "admin", undefined, ""],
      ["logout", "LOGOUT", 200, "admin", undefined, ""],
      ["login", "LOGIN", 401, "eve", undefined, ""],
    ]);
    assertEquals(/wrong-|correct/.test(JSON.stringify(events)), false);
  });
});

Deno.test("a log-in that fails at an address without a route is recorded; one of a worker there is not", async () => {
  await withTrail("changes", async ({ send, events, app }) => {
    const wrong = { authorization: `Basic ${btoa("eve:wrong")}` };
    assertEquals((await send("GET", "/api/v1/main/nothing", wrong)).status, 401);
    assertEquals((await send("GET", "/api/v1/main/nothing")).status, 404);
    const { secret } = await app.tokens.create(ADMIN.user, {
      name: "w",
      extended: false,
      workerGroups: ["g"],
    });
    const worker = { authorization: `Bearer ${secret}` };
    assertEquals((await send("GET", "/api/v1/main/nothing", worker)).status, 403);
    assertEquals(events.map(shown), [["login", "LOGIN", 401, "eve", undefined, ""]]);
  });
});

Deno.test("log-ins before there is a user are limited, and with them their records", async () => {
  const events: AuditEvent[] = [];
  const add = (event: AuditEvent) => Promise.resolve(void events.push(event));
  await using app = await startApp({ isUserStored: true, audit: { scope: "changes", add } });
  const statuses = new Set<number>();
  for (let n = 0; n < 200; n++) {
    const headers = { authorization: `Basic ${btoa(`user${n}:wrong`)}` };
    statuses.add((await app.send("/api/v1/main/cluster", { headers })).status);
  }
  assertEquals([...statuses], [401, 429]);
  assertEquals(events.length < 200, true);
});

Deno.test("a refused request is recorded, once a minute for the same caller and operation", async () => {
  await withTrail("changes", async ({ send, events, app }) => {
    const body = '{"name":"limited","tenants":["main"]}';
    const { fullToken } =
      await (await send("POST", "/api/v1/me/api-tokens", { authorization: BASIC, ...JSON_TYPE }, body))
        .json();
    events.length = 0;
    const limited = { authorization: `Bearer ${fullToken}` };
    for (let n = 0; n < 3; n++) {
      assertEquals((await send("DELETE", "/api/v1/tenants/acme", limited)).status, 403);
    }
    assertEquals((await send("GET", "/api/v1/settings", limited)).status, 403);
    await app.clock.advance(60_000);
    await send("DELETE", "/api/v1/tenants/acme", limited);
    assertEquals(events.map(shown), [
      ["deleteTenant", "DELETE", 403, "admin", undefined, "id=acme"],
      ["getSettings", "READ", 403, "admin", undefined, ""],
      ["deleteTenant", "DELETE", 403, "admin", undefined, "id=acme"],
    ]);
  });
});

Deno.test("a change is acknowledged after its record is stored", async () => {
  await withTrail("changes", async (trail) => {
    const storing = Promise.withResolvers<void>();
    trail.stored = storing.promise;
    let isAnswered = false;
    const response = trail.send("POST", "/api/v1/flows").then((each) => {
      isAnswered = true;
      return each;
    });
    for (let turns = 0; turns < 1_000 && trail.events.length === 0; turns++) {
      await new Promise((done) => setTimeout(done));
    }
    for (let turns = 0; turns < 20; turns++) await new Promise((done) => setTimeout(done));
    assertEquals([trail.events.length, isAnswered], [1, false]);
    storing.resolve();
    assertEquals((await response).status, 200);
  });
});

Deno.test("a change whose record cannot be stored is not acknowledged; a refusal stands without", async () => {
  await withTrail("changes", async (trail) => {
    trail.stored = Promise.reject(new Error("the disk is full"));
    trail.stored.catch(() => {});
    const response = await trail.send("POST", "/api/v1/flows");
    assertEquals(response.status, 504);
    assertStringIncludes((await response.json()).message, "its record in the audit log could not be stored");
    const wrong = { authorization: `Basic ${btoa("eve:wrong")}` };
    assertEquals((await trail.send("POST", "/api/v1/flows", wrong)).status, 401);
  });
});
