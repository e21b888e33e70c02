import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { Harness } from "../../../support/harness.ts";
import { json } from "../../../support/flows/request_bodies.ts";

const FLOW =
  "id: f\nnamespace: demo.team\ntasks:\n  - id: a\n    type: io.svc.plugin.core.debug.Return\n    format: a\n";

async function ids(server: Harness, path = "/namespaces/search?size=100"): Promise<unknown[]> {
  const { results } = await server.page(path);
  return results.map(({ id }) => id ?? null);
}

Deno.test("POST, GET, PUT and DELETE /namespaces store the description of a namespace", async () => {
  await using server = await Harness.start();
  const made = { id: "new.one", description: "d", deleted: false };
  assertEquals(
    await server.json("POST", "/namespaces", json({ id: "new.one", description: "d", tenant: 1 })),
    made,
  );
  assertEquals(await server.json("GET", "/namespaces/new.one"), made);
  assertEquals(await ids(server), ["new.one", "system"]);
  assertEquals(await server.json("POST", "/namespaces/autocomplete", json({ q: "ONE" })), ["new.one"]);
  await server.json("PUT", "/namespaces/new.one", json({ description: "e", variables: {} }));
  assertEquals((await server.json("GET", "/namespaces/new.one") as JsonObject).description, "e");
  const again = await server.restart();
  await using _ = again;
  assertEquals((await again.json("GET", "/namespaces/new.one") as JsonObject).description, "e");
  assertEquals((await again.request("DELETE", "/namespaces/new.one")).status, 204);
  assertEquals((await again.request("GET", "/namespaces/new.one")).status, 404);
  assertEquals((await again.request("DELETE", "/namespaces/new.one")).status, 404);
  assertEquals(await ids(again), ["system"]);
  await again.json("POST", "/namespaces", json({ id: "new.one" }));
  assertEquals(await again.json("GET", "/namespaces/new.one"), { id: "new.one", deleted: false });
});

Deno.test("GET /namespaces/:namespace accepts every name, and a deleted one that has flows again", async () => {
  await using server = await Harness.start();
  assertEquals(await server.json("GET", "/namespaces/demo.team"), { id: "demo.team", deleted: false });
  await server.json("POST", "/namespaces", json({ id: "demo.team", description: "d" }));
  await server.json("DELETE", "/namespaces/demo.team");
  assertEquals((await server.request("GET", "/namespaces/demo.team")).status, 404);
  await server.save(FLOW);
  assertEquals(await server.json("GET", "/namespaces/demo.team"), { id: "demo.team", deleted: false });
  assertEquals(await ids(server), ["demo", "demo.team", "system"]);
});

Deno.test("PUT /namespaces/:namespace describes one that flows made", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  for (const id of ["demo.team", "demo", "system"]) {
    await server.json("PUT", `/namespaces/${id}`, json({ id, description: id }));
    assertEquals((await server.json("GET", `/namespaces/${id}`) as JsonObject).description, id);
  }
  assertEquals(await ids(server, "/namespaces/search?existing=true"), ["demo", "demo.team", "system"]);
});

Deno.test("GET /namespaces/search?existing=true lists namespaces that were created and those that hold flows", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  await server.json("POST", "/namespaces", json({ id: "created" }));
  assertEquals(await ids(server, "/namespaces/search?existing=true"), ["created", "demo.team"]);
});

Deno.test("GET /namespaces/search marks namespaces that were not created as disabled", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  await server.json("POST", "/namespaces", json({ id: "demo.team", description: "d" }));
  await server.json("POST", "/namespaces", json({ id: "created" }));
  assertEquals((await server.page("/namespaces/search")).results, [
    { id: "created", disabled: false, deleted: false },
    { id: "demo", disabled: true, deleted: false },
    { id: "demo.team", description: "d", disabled: false, deleted: false },
    { id: "system", disabled: true, deleted: false },
  ]);
});

const REFUSED: readonly (readonly [request: string, body: unknown, status: number, says: string])[] = [
  ["POST /namespaces", { id: "made" }, 409, '"made": it exists'],
  ["POST /namespaces", {}, 422, 'a text as "id"'],
  ["POST /namespaces", [], 422, "a namespace is an object"],
  ["POST /namespaces", { id: "UPPER" }, 422, 'namespace "UPPER" must match'],
  ["POST /namespaces", { id: "x", description: 3 }, 422, '"description" must be a text'],
  ["POST /namespaces", { id: "x", description: "d".repeat(10_001) }, 422, "at most 10000 characters"],
  ["POST /namespaces", { id: "x", variables: [1] }, 422, "variables: must be an object"],
  ["POST /namespaces", { id: "x", variables: { a: "v".repeat(60_000) } }, 422, "at most 60000 are allowed"],
  ["POST /namespaces", { id: "x", concurrency: { limit: 1 } }, 422, "concurrency: is not supported; declare"],
  ["PUT /namespaces/made", { quotas: [{ type: "EXECUTION" }] }, 422, "quotas: is not supported"],
  ["PUT /namespaces/made", { allowedNamespaces: [{ namespace: "a" }] }, 422, "allowedNamespaces: is not"],
  ["PUT /namespaces/made", { secretReadOnly: true }, 422, "secretReadOnly: is not supported"],
  ["PUT /namespaces/made", { pluginDefaults: {} }, 422, "pluginDefaults: must be a list"],
  ["PUT /namespaces/made", { pluginDefaults: [3] }, 422, "pluginDefaults[0]: must be an object"],
  ["PUT /namespaces/made", { pluginDefaults: [{ values: {} }] }, 422, "pluginDefaults[0].type: must be"],
  ["PUT /namespaces/made", { taskDefaults: [{ type: "a", forced: 1 }] }, 422, "taskDefaults[0].forced: must"],
  ["PUT /namespaces/made", { pluginDefaults: [{ type: "a", value: {} }] }, 422, 'has no member "value"'],
  [
    "PUT /namespaces/made",
    { pluginDefaults: [{ type: "io.svc.plugin.core.log.Log", values: { mesage: "a" } }] },
    422,
    'pluginDefaults[0].values.mesage: Unrecognized field "mesage", did you mean "message"',
  ],
  [
    "PUT /namespaces/made",
    { pluginDefaults: [{ type: "io.svc.plugin.core.flow", values: { tasks: [] } }] },
    422,
    "pluginDefaults[0].values.tasks: must not hold tasks",
  ],
  ["PUT /namespaces/made", { id: "other" }, 422, 'but the path of "made"'],
  ["PUT /namespaces/missing", {}, 404, 'namespace "missing" does not exist'],
  ["DELETE /namespaces/missing", undefined, 404, 'namespace "missing" does not exist'],
  ["DELETE /namespaces/demo", undefined, 409, "holds flows; delete them before"],
  ["DELETE /namespaces/UPPER", undefined, 422, 'namespace "UPPER" must match'],
];
for (const [request, body, status, says] of REFUSED) {
  Deno.test(`${request} with ${JSON.stringify(body)?.slice(0, 60)} is refused with ${status}`, async () => {
    await using server = await Harness.start();
    await server.save(FLOW);
    await server.json("POST", "/namespaces", json({ id: "made" }));
    const [method = "", path = ""] = request.split(" ");
    const response = await server.request(method, path, body === undefined ? {} : json(body));
    assertEquals(response.status, status);
    assertStringIncludes((await response.json()).message, says);
    assertEquals(await ids(server), ["demo", "demo.team", "made", "system"]);
  });
}
