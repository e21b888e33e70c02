/** The form of durations in every response that shows states. */
import { assertEquals, assertMatch } from "@std/assert";
import { isJsonObject, type JsonValue } from "../../../../src/base/json.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness, type HarnessOptions } from "../../../support/harness.ts";
import { EventReader } from "../../event_reader.ts";

const SLOW = `id: slow
namespace: demo
triggers:
  - { id: hook, type: io.svc.plugin.core.trigger.Webhook, key: k1 }
tasks:
  - { id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT1.5S }
  - { id: value, type: io.svc.plugin.core.debug.Return, format: '{"duration":7,"histories":[]}' }
`;
const ISO = { accept: "application/json;durations=iso" };
const TEXT = /^PT(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?$/;

/** The durations of all states below a value. */
function durationsIn(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value.flatMap(durationsIn);
  if (!isJsonObject(value)) return [];
  const own = "histories" in value && value.duration !== undefined ? [value.duration] : [];
  return [...own, ...Object.values(value).flatMap(durationsIn)];
}

/** The durations in a response, as `JSON.parse` reads them. */
async function durationsOf(server: Harness, request: string, id: string, init: RequestInit = {}) {
  const [method = "", path = ""] = request.split(" ");
  const response = await server.request(method, path.replace(":id", id), init);
  return durationsIn(JSON.parse(await response.text()));
}

async function ended(options?: HarnessOptions): Promise<{ server: Harness; id: string }> {
  const server = await Harness.start(options);
  await server.save(SLOW);
  const { id } = await server.start("slow");
  await settle();
  await server.advance(1_500);
  return { server, id: String(id) };
}

/** Requests whose response shows states, and the number of states that each shows. */
const REQUESTS: readonly (readonly [request: string, states: number])[] = [
  ["GET /executions/:id", 5],
  ["GET /executions/search", 1],
  ["GET /executions?namespace=demo&flowId=slow", 1],
  ["POST /executions/demo/slow", 1],
  ["GET /executions/webhook/demo/slow/k1", 1],
  ["POST /executions/:id/actions/replay", 3],
  ["POST /executions/:id/actions/change-status?status=WARNING", 5],
];
for (const [request, states] of REQUESTS) {
  for (
    const [name, headers, options] of [["asked for", ISO, {}], ["set", {}, { durations: "iso" }]] as const
  ) {
    Deno.test(`${request} writes durations as ISO text where that is ${name}`, async () => {
      const { server, id } = await ended(options);
      await using _server = server;
      const durations = await durationsOf(server, request, id, { headers });
      assertEquals(durations.length, states);
      for (const duration of durations) assertMatch(String(duration), TEXT);
    });
  }

  Deno.test(`${request} writes durations as numbers by default, and where they are asked for`, async () => {
    for (
      const [headers, options] of [[{}, {}], [{ accept: "*/*;durations=seconds" }, {
        durations: "iso",
      }]] as const
    ) {
      const { server, id } = await ended(options);
      await using _server = server;
      const durations = await durationsOf(server, request, id, { headers });
      assertEquals(durations.map((duration) => typeof duration), Array(states).fill("number"));
    }
  });
}

Deno.test("GET /executions/:id has the same durations in both forms, and leaves values of flows alone", async () => {
  const { server, id } = await ended();
  await using _server = server;
  const request = "GET /executions/:id";
  assertEquals(await durationsOf(server, request, id), [1.5, 1.5, 0, 0, 1.5]);
  assertEquals(await durationsOf(server, request, id, { headers: ISO }), [
    ...["PT1.5S", "PT1.5S", "PT0S", "PT0S", "PT1.5S"],
  ]);
  const [, value] = (await server.execution(id)).taskRunList;
  assertEquals(value?.outputs, { value: '{"duration":7,"histories":[]}' });
});

for (const [query, event] of [["", "progress"], ["?format=delta", ""]] as const) {
  Deno.test(`GET /executions/:id/follow${query} writes durations as ISO text, for one of two followers`, async () => {
    await using server = await Harness.start();
    await server.save(SLOW);
    const { id } = await server.start("slow");
    const path = `/executions/${id}/follow${query}`;
    await using plain = new EventReader(await server.request("GET", path));
    await using iso = new EventReader(await server.request("GET", path, { headers: ISO }));
    await settle();
    await server.advance(1_600);
    assertEquals([plain.isEnded, iso.isEnded], [true, true], event);
    for (const { data } of plain.events) {
      assertEquals(new Set(durationsIn(data).map((duration) => typeof duration)), new Set(["number"]));
    }
    for (const { data } of iso.events) {
      for (const duration of durationsIn(data)) assertMatch(String(duration), TEXT);
    }
  });
}

Deno.test("GET /executions/export/by-query/csv writes durations as ISO text where that is asked for", async () => {
  const { server } = await ended();
  await using _server = server;
  const response = await server.request("GET", "/executions/export/by-query/csv", { headers: ISO });
  assertMatch(await response.text(), /""duration"":""PT1\.5S""/);
});

Deno.test("POST /executions/:namespace/:flowId?wait=true writes durations as ISO text where that is asked for", async () => {
  await using server = await Harness.start();
  await server.save(SLOW);
  for (const headers of [ISO, { ...ISO, "idempotency-key": "once" }]) {
    const response = server.request("POST", "/executions/demo/slow?wait=true", { headers });
    await settle();
    await server.advance(1_500);
    assertMatch(await (await response).text(), /"duration":"PT1\.5S","startDate"/);
  }
});

/** The form of the server, that of the request, and the type that is described. */
const DESCRIBED = [[undefined, "", "number"], ["iso", "", "string"], [undefined, "iso", "string"], [
  "iso",
  "seconds",
  "number",
]] as const;
for (const [durations, asked, type] of DESCRIBED) {
  Deno.test(`GET /openapi.json describes durations as a ${type} with --durations ${durations} and Accept "${asked}"`, async () => {
    await using server = await Harness.start({ durations });
    const headers = new Headers(asked === "" ? [] : [["accept", `application/json;durations=${asked}`]]);
    const text = await (await server.request("GET", "/openapi.json", { headers })).text();
    const { components } = JSON.parse(text);
    assertEquals(components.schemas.State.properties.duration.type, type);
  });
}
