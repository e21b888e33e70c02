import { assertEquals, assertStringIncludes } from "@std/assert";
import { isJsonObject, type JsonObject } from "../../../../src/base/json.ts";
import type { Store } from "../../../../src/store/store.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";
import type { MemoryStore } from "../../../support/fakes/memory_store.ts";

const FLOW = `
id: keeps
namespace: demo
inputs:
  - id: text
    type: STRING
tasks:
  - id: a
    type: io.svc.plugin.core.debug.Return
    format: done
`;

/** A server with executions of inputs of that length. */
async function startWithInputs(count: number, length: number, wrap?: (store: MemoryStore) => Store) {
  const server = await Harness.start({ wrap });
  await server.save(FLOW);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push(String((await server.start("keeps", { text: "x".repeat(length) })).id));
  }
  await settle();
  return { server, ids };
}

/** A store that counts the reads of large values, which are ranges of chunks. */
function counting(store: MemoryStore, counts: { values: number }): Store {
  return new Proxy<Store>(store, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const [range] = args as Parameters<Store["list"]>;
        if (name === "list" && "start" in range && range.start.includes("b")) counts.values++;
        return Reflect.apply(member, target, args);
      };
    },
  });
}

const inputsOf = (row: JsonObject | undefined) => row?.inputs as JsonObject;

Deno.test("GET /executions/search returns a mark with a link instead of a value over 64 KiB", async () => {
  const { server, ids } = await startWithInputs(3, 1_000_000);
  await using _server = server;
  for (const path of ["/executions/search", "/executions?namespace=demo&flowId=keeps"]) {
    const { results, total } = await server.page(path);
    assertEquals([results.length, total], [3, 3]);
    for (const row of results) {
      const uri = `/api/v1/main/executions/${row.id}`;
      assertEquals(row.inputs, { $shortened: { bytes: 1_000_011, uri } });
      const found = await server.json("GET", uri) as JsonObject;
      assertEquals(String(inputsOf(found).text).length, 1_000_000);
    }
  }
  assertEquals(ids.length, 3);
});

Deno.test("GET /executions/search does not read the values that it shortens", async () => {
  const counts = { values: 0 };
  const { server } = await startWithInputs(3, 1_000_000, (store) => counting(store, counts));
  await using _server = server;
  counts.values = 0;
  await server.page("/executions/search");
  assertEquals(counts.values, 0);
});

Deno.test("GET /executions/search returns values of up to 64 KiB as they are", async () => {
  const { server } = await startWithInputs(2, 60_000);
  await using _server = server;
  const { results } = await server.page("/executions/search");
  assertEquals(results.map((row) => String(inputsOf(row).text).length), [60_000, 60_000]);
});

Deno.test("GET /executions/search reads a large page while the client reads it, and stops when the client goes", async () => {
  const counts = { values: 0 };
  const { server } = await startWithInputs(160, 50_000, (store) => counting(store, counts));
  await using _server = server;
  counts.values = 0;
  const whole = await server.page("/executions/search?size=1000");
  assertEquals([whole.results.length, whole.total, counts.values], [160, 160, 160]);
  const response = await server.request("GET", "/executions/search?size=1000");
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  assertStringIncludes(new TextDecoder().decode(value).slice(0, 30), '{"results":[{"id":');
  await reader.cancel();
  assertEquals(counts.values < 320, true, `${counts.values - 160} of 160 values were read`);
});

Deno.test("GET /executions/export/by-query/csv shortens large values and returns every execution", async () => {
  const { server, ids } = await startWithInputs(40, 200_000);
  await using _server = server;
  const text = await (await server.request("GET", "/executions/export/by-query/csv")).text();
  assertEquals(text.length < 100_000, true);
  assertEquals(ids.filter((id) => !text.includes(`/api/v1/main/executions/${id}`)), []);
  assertEquals(text.trimEnd().split("\r\n").length, 41);
});

Deno.test("GET /executions/export/by-query/json is a list of every matching execution", async () => {
  const { server, ids } = await startWithInputs(40, 10);
  await using _server = server;
  const response = await server.request("GET", "/executions/export/by-query/json");
  assertEquals(response.headers.get("content-disposition"), 'attachment; filename="executions.json"');
  const rows: JsonObject[] = await response.json();
  assertEquals(rows.map(({ id }) => id), ids);
  const none = await server.request("GET", "/executions/export/by-query/json?flowId=unknown");
  assertEquals(await none.text(), "[]");
});

Deno.test("Executions.search() shortens all values over 1 KiB once the page has reached its bound", async () => {
  const { server, ids } = await startWithInputs(70, 2_000);
  await using _server = server;
  const { executions } = server.assembly.services;
  const query = {
    conditions: [],
    groups: [],
    sort: [{ field: "id", descending: false }],
    page: 1,
    size: 100,
  } as const;
  const { pieces } = await executions.search({ tenant: "main", user: "" }, query, 40_000);
  const rows = (await Array.fromAsync(pieces)).flat().map((text) => JSON.parse(text)).filter(isJsonObject);
  assertEquals(rows.map(({ id }) => id), ids);
  const isFull = (row: JsonObject) => inputsOf(row).text !== undefined;
  assertEquals(rows.filter(isFull).length, 32);
  assertEquals(rows.slice(0, 32).every(isFull), true);
});

const FILTERED = `
id: regions
namespace: demo
inputs:
  - {id: region, type: STRING, defaults: eu}
  - {id: parts, type: INT, defaults: 3}
  - {id: place, type: JSON, defaults: '{"city": "Rome"}'}
  - {id: text, type: STRING, required: false}
triggers:
  - {id: hook, type: io.svc.plugin.core.trigger.Webhook, key: regions-key}
tasks:
  - {id: a, type: io.svc.plugin.core.debug.Return, format: done}
`;

Deno.test("GET /executions/search filters by triggers and by values of inputs, large ones beside them", async () => {
  await using server = await Harness.start();
  await server.save(FILTERED);
  const large = String((await server.start("regions", { text: "x".repeat(100_000) })).id);
  const us = String((await server.start("regions", { region: "us", parts: "4" })).id);
  await server.json("POST", "/executions/webhook/demo/regions/regions-key");
  await settle();
  const all = (await server.page("/executions/search")).results.map(({ id }) => String(id));
  const hooked = all.filter((id) => id !== large && id !== us);
  assertEquals([all.length, hooked.length], [3, 1]);
  const cases: readonly (readonly [query: string, ids: readonly string[]])[] = [
    ["triggerId=hook", hooked],
    ["filters[triggerId][NOT_EQUALS]=hook", [large, us]],
    ["inputs=region:eu", [large, ...hooked]],
    ["inputs=parts:4", [us]],
    ["inputs=place.city:Rome&inputs=region:us", [us]],
    ["filters[inputs][IN][region]=us,asia&triggerId=hook", []],
    ["inputs=nothing:eu", []],
  ];
  for (const [query, ids] of cases) {
    const { results, total } = await server.page(`/executions/search?${query}`);
    assertEquals([query, results.map(({ id }) => String(id)).sort(), total], [
      query,
      ids.toSorted(),
      ids.length,
    ]);
  }
});
