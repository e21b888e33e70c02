import { assert, assertEquals } from "@std/assert";
import {
  type NamespaceTestServices,
  startNamespaceServices,
} from "../../../support/flows/namespace_services.ts";

const BASE = "/namespaces/company.team";

async function send({ app }: NamespaceTestServices, method: string, path: string, body?: unknown) {
  const init = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await app.request(BASE + path, body === undefined ? { method } : init);
  const text = await response.text();
  assert(!text.includes("hidden"), text);
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

Deno.test("PUT, GET, PATCH and DELETE /namespaces/:namespace/secrets", async () => {
  const services = await startNamespaceServices();
  const entry = { namespace: "company.team", key: "KEY", description: "d", tags: [] };
  const stored = await send(services, "PUT", "/secrets", { key: "KEY", value: "hidden", description: "d" });
  assertEquals(stored, { status: 200, body: [entry] });
  assertEquals((await send(services, "GET", "/secrets")).body, {
    readOnly: false,
    results: [entry],
    total: 1,
  });
  const tags = [{ key: "team", value: "x" }];
  assertEquals((await send(services, "PATCH", "/secrets/KEY", { tags })).body, [{ ...entry, tags }]);
  assertEquals(await services.secrets.valueFor("main", { namespace: "company.team", name: "KEY" }), "hidden");
  assertEquals((await send(services, "DELETE", "/secrets/KEY")).status, 204);
  assertEquals((await send(services, "DELETE", "/secrets/KEY")).status, 404);
  assertEquals((await send(services, "PATCH", "/secrets/KEY", { tags })).status, 404);
});

Deno.test("GET /secrets and /namespaces/:namespace/secrets show the last use", async () => {
  const services = await startNamespaceServices({ environment: new Map([["ENV", "hidden"]]) });
  await send(services, "PUT", "/secrets", { key: "KEY", value: "hidden" });
  for (const name of ["KEY", "ENV"]) {
    await services.secrets.valueFor("main", { namespace: "company.team", name }, "company.team.report");
  }
  const use = { lastUsed: new Date(services.clock.now()).toISOString(), lastUsedBy: "company.team.report" };
  const expected = [
    { namespace: "company.team", key: "KEY", tags: [], ...use },
    { key: "ENV", tags: [], ...use },
  ];
  assertEquals((await send(services, "GET", "/secrets")).body.results, expected);
  assertEquals((await (await services.app.request("/secrets")).json()).results, expected);
});

Deno.test("PUT /namespaces/:namespace/secrets refuses an invalid secret, without showing a value", async () => {
  const services = await startNamespaceServices();
  const bodies: readonly (readonly [unknown, number])[] = [
    [{ key: "K" }, 422],
    [{ value: "hidden" }, 422],
    [{ key: "a b", value: "hidden" }, 422],
    [{ key: "K", value: { hidden: 1 } }, 422],
    [{ key: "K", value: "hidden", tags: "hidden" }, 422],
    [{ key: "K", value: "hidden", tags: [{ key: "hidden" }] }, 422],
    [{ key: "K", value: "hidden".repeat(10_000) }, 413],
    [[], 422],
    ["hidden", 422],
  ];
  for (const [body, status] of bodies) {
    assertEquals((await send(services, "PUT", "/secrets", body)).status, status);
  }
});

Deno.test("GET /secrets and /namespaces/:namespace/inherited-secrets", async () => {
  const services = await startNamespaceServices({ environment: new Map([["ENV", "hidden"]]) });
  await send(services, "PUT", "/secrets", { key: "B", value: "hidden" });
  await send(services, "PUT", "/secrets", { key: "A", value: "hidden" });
  await services.secrets.put({ tenant: "main", user: "u" }, { namespace: "company", name: "UP" }, "hidden");
  const all = await (await services.app.request("/secrets?sort=key:desc&q=company")).json();
  assertEquals([all.total, all.results.map((each: { key: string }) => each.key)], [3, ["UP", "B", "A"]]);
  for (const path of ["/secrets?q=ENV", "/namespaces/other/secrets"]) {
    const { results, total } = await (await services.app.request(path)).json();
    assertEquals([results, total], [[{ key: "ENV", tags: [] }], 1]);
  }
  assertEquals((await send(services, "GET", "/inherited-secrets")).body, {
    "company.team": ["A", "B", "ENV"],
    company: ["UP"],
  });
});
