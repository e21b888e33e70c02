import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonValue } from "../../../../src/base/json.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";
import { yaml } from "../../../support/flows/request_bodies.ts";

const PATH = "/flows/demo/hello/revisions";

function source(format: string): string {
  return `id: hello
namespace: demo
concurrency:
  limit: 1
tasks:
  - id: wait
    type: io.svc.plugin.core.flow.Sleep
    duration: PT1H
  - id: a
    type: io.svc.plugin.core.debug.Return
    format: ${format}
`;
}

/** A flow with revisions 1 to 4. */
async function start(): Promise<Harness> {
  const server = await Harness.start();
  await server.save(source("r1"));
  for (const format of ["r2", "r3", "r4"]) {
    await server.json("PUT", "/flows/demo/hello", yaml(source(format)));
  }
  return server;
}

async function present(server: Harness): Promise<JsonValue[]> {
  const revisions = await server.json("GET", PATH) as unknown as { revision: number }[];
  return revisions.map(({ revision }) => revision);
}

const REMOVED: readonly (readonly [query: string, left: readonly number[]])[] = [
  ["revisions=1", [2, 3, 4]],
  ["revisions=1&revisions=3", [2, 4]],
  ["revisions=1,2,3", [4]],
  ["revisions=2&revisions=2", [1, 3, 4]],
];
for (const [query, left] of REMOVED) {
  Deno.test(`DELETE ${PATH}?${query} leaves ${left.join(", ")}`, async () => {
    await using server = await start();
    const response = await server.request("DELETE", `${PATH}?${query}`);
    assertEquals([response.status, await response.text()], [200, ""]);
    assertEquals(await present(server), [...left]);
  });
}

const REFUSED: readonly (readonly [query: string, status: number, says: string])[] = [
  ["", 400, 'query parameter "revisions" is missing'],
  ["revisions=", 400, 'query parameter "revisions" is missing'],
  ["revisions=x", 400, 'but received "x"'],
  ["revisions=0", 400, 'but received "0"'],
  ["revisions=1&revisions=4", 422, "revision 4 is the latest"],
  ["revisions=1&revisions=9", 404, "has no revision 9"],
  [`revisions=${Array.from({ length: 101 }, (_, index) => index + 1)}`, 422, "at most 100"],
];
for (const [query, status, says] of REFUSED) {
  Deno.test(`DELETE ${PATH}?${query.slice(0, 40)} is refused with ${status}`, async () => {
    await using server = await start();
    const response = await server.request("DELETE", `${PATH}?${query}`);
    assertEquals(response.status, status);
    assertStringIncludes((await response.json()).message, says);
    assertEquals(await present(server), [1, 2, 3, 4]);
  });
}

Deno.test(`DELETE ${PATH} of an unknown or deleted flow returns 404`, async () => {
  await using server = await start();
  assertEquals((await server.request("DELETE", "/flows/demo/nope/revisions?revisions=1")).status, 404);
  await server.request("DELETE", "/flows/demo/hello");
  assertEquals((await server.request("DELETE", `${PATH}?revisions=1`)).status, 404);
});

Deno.test(`DELETE ${PATH} keeps a revision that an execution runs by`, async () => {
  await using server = await start();
  const { id } = await server.start("hello", {}, "?revision=2");
  await settle();
  const refused = await server.request("DELETE", `${PATH}?revisions=1,2`);
  assertEquals(refused.status, 409);
  assertStringIncludes((await refused.json()).message, `execution "${id}" has not ended`);
  assertEquals(await present(server), [1, 2, 3, 4]);
});

Deno.test(`DELETE ${PATH} leaves executions that have ended readable and deletable`, async () => {
  await using server = await start();
  const { id } = await server.start("hello", {}, "?revision=2");
  await server.advance(3_600_000);
  await server.json("DELETE", `${PATH}?revisions=2`);
  assertEquals((await server.execution(id)).state.current, "SUCCESS");
  assertEquals((await server.request("GET", `/metrics/${id}`)).status, 200);
  for (const path of [`GET /executions/${id}/flow`, `POST /executions/${id}/actions/replay`]) {
    const [method = "", target = ""] = path.split(" ");
    const response = await server.request(method, target);
    assertEquals(response.status, 404, path);
    assertStringIncludes((await response.json()).message, "has no revision 2");
  }
  assertEquals((await server.request("GET", "/flows/demo/hello?revision=2")).status, 404);
  assertEquals((await server.request("DELETE", `/executions/${id}`)).status, 204);
});
