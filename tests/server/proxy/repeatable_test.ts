/** What a follower may send twice, checked for every route. */
import { assertEquals } from "@std/assert";
import { webhookRoutes } from "../../../src/http/routes/triggers/webhooks.ts";
import { honoursIdempotencyKey, isSafe, isWebhook } from "../../../src/server/proxy/repeatable.ts";
import { fillPath, PROTECTED_ROUTES } from "../../api/route_list.ts";

Deno.test("honoursIdempotencyKey() is true for the starts of executions among all routes", () => {
  const honouring = PROTECTED_ROUTES.filter(({ method, path }) =>
    honoursIdempotencyKey(method, fillPath(path))
  );
  assertEquals(honouring.map(({ method, path }) => `${method} ${path}`), [
    "POST /api/v1/:tenant/executions/:namespace/:flowId",
    "POST /api/v1/:tenant/executions/trigger/:namespace/:flowId",
  ]);
  assertEquals(honoursIdempotencyKey("POST", "/api/v1/executions/company.team/flow"), true);
});

Deno.test("isWebhook() knows the routes of webhooks, with and without a tenant", () => {
  for (const { path } of webhookRoutes({} as never).routes) {
    for (const prefix of ["/api/v1", "/api/v1/main", "/api/v1/acme"]) {
      const full = `${prefix}/executions/webhook${fillPath(path)}`;
      assertEquals([isWebhook(full), isSafe("GET", full), honoursIdempotencyKey("GET", full)], [
        true,
        false,
        true,
      ]);
    }
  }
  assertEquals(PROTECTED_ROUTES.filter(({ path }) => isWebhook(fillPath(path))), []);
});

Deno.test("isSafe() is true for reads only", () => {
  assertEquals(
    ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"].map((method) => isSafe(method, "/x")),
    [
      ...[true, true, true, false, false, false, false],
    ],
  );
});
