import { assertEquals, assertStringIncludes } from "@std/assert";
import { type AppUnderTest, startApp } from "../../app_under_test.ts";

const PATH = "/api/v1/tenants";

function create(server: AppUnderTest, body: unknown): Promise<Response> {
  const init = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  };
  return server.send(PATH, init);
}

Deno.test("POST /tenants creates a tenant that serves requests at once", async () => {
  await using server = await startApp();
  assertEquals((await server.send("/api/v1/acme/flows/search")).status, 404);
  const response = await create(server, { id: "acme", name: "Acme Inc." });
  assertEquals([response.status, await response.json()], [200, {
    id: "acme",
    name: "Acme Inc.",
    deleted: false,
  }]);
  assertEquals((await server.send("/api/v1/acme/flows/search")).status, 200);
  assertEquals(await (await server.send(`${PATH}/acme`)).json(), {
    id: "acme",
    name: "Acme Inc.",
    deleted: false,
  });
  assertEquals((await create(server, { id: "plain" })).status, 200);
  assertEquals(server.tenants.get("plain").name, "plain");
});

const REFUSED: [body: unknown, status: number, reason: string][] = [
  [{ id: "main" }, 409, "exists already"],
  [{ id: "acme" }, 409, "exists already"],
  [{ id: "flows" }, 422, "is a name of the API"],
  [{ id: "executions" }, 422, "is a name of the API"],
  [{ id: "configs" }, 422, "is a name of the API"],
  [{ id: "g" }, 422, "is a name of the API"],
  [{ id: "token" }, 422, "is a name of the API"],
  [{ id: "" }, 422, "id:"],
  [{ id: "Acme" }, 422, "id:"],
  [{ id: "-a" }, 422, "id:"],
  [{ id: "a.b" }, 422, "id:"],
  [{ id: "a/b" }, 422, "id:"],
  [{ id: "__proto__" }, 422, "id:"],
  [{ id: "a".repeat(64) }, 422, "id:"],
  [{ id: "a", name: "" }, 422, "name:"],
  [{ id: "a", name: "n".repeat(251) }, 422, "name:"],
  [{ id: 1 }, 422, "is of the form"],
  [{ name: "a" }, 422, "is of the form"],
  [{ id: "a", concurrency: { limit: 1 } }, 422, "concurrency: is not supported"],
  [null, 422, "is of the form"],
];

Deno.test("POST /tenants refuses ids that are taken, reserved or malformed", async () => {
  await using server = await startApp();
  await server.tenants.create({ id: "acme", name: "Acme" });
  for (const [body, status, reason] of REFUSED) {
    const response = await create(server, body);
    assertEquals(response.status, status, JSON.stringify(body));
    assertStringIncludes((await response.json()).message, reason);
  }
  assertEquals(server.tenants.list().map(({ id }) => id), ["main", "acme"]);
});

Deno.test("PUT /tenants/:id renames a tenant, also for the next process", async () => {
  await using server = await startApp();
  await server.tenants.create({ id: "acme", name: "Acme" });
  const put = (id: string, body: unknown) =>
    server.send(`${PATH}/${id}`, {
      method: "PUT",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
  const renamed = { id: "acme", name: "Acme Inc.", deleted: false };
  const response = await put("acme", renamed);
  assertEquals([response.status, await response.json()], [200, renamed]);
  assertEquals(server.tenants.get("acme").name, "Acme Inc.");
  assertEquals((await put("acme", {})).status, 200);
  assertEquals(server.tenants.get("acme").name, "Acme Inc.");
  assertEquals((await put("main", { name: "Main" })).status, 200);
  const refused: [id: string, body: unknown, status: number, reason: string][] = [
    ["main", { name: "Other" }, 409, "keeps its name"],
    ["missing", { name: "Other" }, 404, '"missing"'],
    ["acme", { id: "other" }, 422, 'but the path of "acme"'],
    ["acme", { name: "" }, 422, "name:"],
    ["acme", { concurrency: { limit: 1, behavior: "QUEUE" } }, 422, "concurrency: is not supported"],
    ["acme", { requireExistingNamespace: true }, 422, "requireExistingNamespace: is not supported"],
  ];
  for (const [id, body, status, reason] of refused) {
    const refusal = await put(id, body);
    assertEquals(refusal.status, status, reason);
    assertStringIncludes((await refusal.json()).message, reason);
  }
  assertEquals(server.tenants.get("acme").name, "Acme Inc.");
});

Deno.test("GET /tenants/search lists main first, by page and by text", async () => {
  await using server = await startApp();
  for (const id of ["zeta", "acme", "beta"]) await server.tenants.create({ id, name: `The ${id}` });
  const search = async (query: string) => {
    const { results, total } = await (await server.send(`${PATH}/search${query}`)).json();
    return [results.map((tenant: { id: string }) => tenant.id), total];
  };
  assertEquals(await search(""), [["main", "acme", "beta", "zeta"], 4]);
  assertEquals(await search("?size=2&page=2"), [["beta", "zeta"], 4]);
  assertEquals(await search("?q=the%20B"), [["beta"], 1]);
  assertEquals((await server.send(`${PATH}/search?page=0`)).status, 422);
});

Deno.test("DELETE /tenants/:id removes the tenant; main stays", async () => {
  await using server = await startApp();
  await server.tenants.create({ id: "acme", name: "Acme" });
  assertEquals((await server.send(`${PATH}/acme`, { method: "DELETE" })).status, 204);
  for (const path of ["/api/v1/acme/flows/search", `${PATH}/acme`]) {
    assertEquals((await server.send(path)).status, 404);
  }
  assertEquals((await server.send(`${PATH}/acme`, { method: "DELETE" })).status, 404);
  const main = await server.send(`${PATH}/main`, { method: "DELETE" });
  assertEquals(main.status, 409);
  assertStringIncludes((await main.json()).message, "Illegal state: Cannot delete tenant");
});
