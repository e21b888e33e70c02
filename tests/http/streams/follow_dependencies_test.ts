/** Streams of the states of related executions, on a complete server. */
import { assertEquals } from "@std/assert";
import { Logger } from "../../../src/base/log.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { EventReader } from "../event_reader.ts";

function flow(id: string, task: string, more = ""): string {
  return `id: ${id}\nnamespace: demo\n${more}tasks:\n  - id: a\n    type: io.svc.plugin.core.${task}\n`;
}

function starting(id: string, flowId: string, more = ""): string {
  return flow(id, `flow.Subflow\n    namespace: demo\n    flowId: ${flowId}`) + more;
}

const PAUSE = "  - id: hold\n    type: io.svc.plugin.core.flow.Pause\n";
const LEAF = flow("leaf", "debug.Return\n    format: x");

async function follow(server: Harness, id: unknown, query = ""): Promise<EventReader> {
  const reader = new EventReader(
    await server.request("GET", `/executions/${id}/follow-dependencies${query}`),
  );
  await settle();
  return reader;
}

function told(reader: EventReader): string[] {
  return reader.events.map(({ id, data }) =>
    `${id} ${data.flowId ?? ""} ${data.state?.current ?? ""}`.trim()
  );
}

const ENDED: readonly (readonly [query: string, flows: readonly string[]])[] = [
  ["?expandAll=true", ["leaf", "middle", "top"]],
  ["", ["middle", "top"]],
];
for (const [query, flows] of ENDED) {
  Deno.test(`GET /executions/:id/follow-dependencies${query} of ended executions sends each once`, async () => {
    await using server = await Harness.start();
    await server.save(LEAF);
    await server.save(starting("middle", "leaf"));
    const { id } = await server.run(starting("top", "middle"));
    await using reader = await follow(server, id, query);
    const [first, ...others] = told(reader);
    assertEquals([first, others.pop()], ["start", "end-all"]);
    assertEquals(others.sort(), flows.map((name) => `end ${name} SUCCESS`));
    assertEquals(reader.isEnded, true);
  });
}

Deno.test("GET /executions/:id/follow-dependencies continues until all have ended", async () => {
  await using server = await Harness.start();
  await server.save(LEAF);
  const { id } = await server.run(starting("top", "leaf", PAUSE));
  await using reader = await follow(server, id);
  await server.advance(60_000);
  assertEquals(told(reader).sort(), ["end leaf SUCCESS", "progress top PAUSED", "start"]);
  await server.json("POST", `/executions/${id}/resume`);
  await server.advance(2_000);
  assertEquals(told(reader).slice(3), ["end top SUCCESS", "end-all"]);
  assertEquals(reader.isEnded, true);
});

Deno.test("GET /executions/:id/follow-dependencies ends without flows that do not run", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(LEAF);
  await server.save(starting("other", "leaf"));
  await using reader = await follow(server, id);
  assertEquals([told(reader), reader.isEnded], [["start", "end leaf SUCCESS"], false]);
  await server.advance(15_000);
  assertEquals([told(reader).at(-1), reader.isEnded], ["end-all", true]);
});

Deno.test("GET /executions/:id/follow-dependencies ends when the execution is deleted, without an error", async () => {
  const log: string[] = [];
  const clock = new FakeClock();
  const logger = new Logger({ level: "warn", format: "json", clock, write: (line) => log.push(line) });
  await using server = await Harness.start({ logger }, undefined, clock);
  const { id } = await server.run(flow("held", "flow.Pause"));
  await using reader = await follow(server, id);
  await server.json("DELETE", `/executions/${id}`);
  await server.advance(5_000);
  assertEquals([told(reader).at(-1), reader.isEnded], ["progress held PAUSED", true]);
  assertEquals(log, []);
});

Deno.test("GET /executions/:id/follow-dependencies holds nothing after the client is gone", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(flow("held", "flow.Pause"));
  await using reader = await follow(server, id);
  await reader.leave();
  await server.json("POST", `/executions/${id}/resume`);
  await server.advance(5_000);
  assertEquals(told(reader), ["start", "progress held PAUSED"]);
});
