import { assertEquals } from "@std/assert";
import { startApp } from "../../app_under_test.ts";

const HEALTH: readonly (readonly [path: string, isReady: boolean, status: number])[] = [
  ["/health", true, 200],
  ["/health", false, 503],
  ["/health/readiness", true, 200],
  ["/health/readiness", false, 503],
  ["/health/liveness", true, 200],
  ["/health/liveness", false, 200],
];
for (const [path, isReady, status] of HEALTH) {
  Deno.test(`GET ${path} returns ${status} when requests can${isReady ? "" : "not"} be served`, async () => {
    await using server = await startApp({ isProtected: true, isReady: () => isReady });
    const response = await server.send(path);
    assertEquals([response.status, await response.json()], [status, {
      status: status === 200 ? "UP" : "DOWN",
    }]);
    assertEquals(response.headers.get("retry-after"), status === 200 ? null : "1");
  });
}

Deno.test("GET /health names a database that is no file", async () => {
  for (const [database, expected] of [["file", undefined], ["kv_connect", "kv_connect"]] as const) {
    await using server = await startApp({ isProtected: true, isReady: () => true, database });
    assertEquals((await (await server.send("/health")).json()).database, expected);
  }
});
