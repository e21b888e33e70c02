/** A clock that jumps by a day, in both directions, under a running server. */
import { assert, assertEquals } from "@std/assert";
import { Logger } from "../../src/base/log.ts";
import { type ExecutionResponse, Harness } from "../support/harness.ts";
import { json } from "../support/flows/request_bodies.ts";
import { JumpingClock } from "./jumping_clock.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
const FLOWS = [
  `id: hourly
namespace: demo
tasks: [{id: say, type: io.svc.plugin.core.log.Log, message: tick}]
triggers: [{id: each, type: io.svc.plugin.core.trigger.Schedule, cron: "0 * * * *"}]
`,
  `id: sleeping
namespace: demo
tasks: [{id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT10S}]
`,
];

interface Jumped extends AsyncDisposable {
  readonly server: Harness;
  readonly clock: JumpingClock;
  readonly lines: string[];
  /** Slept while the clock jumped. */
  readonly id: string;
}

/** A server with a sleeping execution and two ticks of a schedule, whose clock has jumped by `ms`. */
async function afterJump(ms: number): Promise<Jumped> {
  const clock = new JumpingClock();
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const logger = new Logger({ level: "warn", format: "text", clock, write });
  const server = await Harness.start({ logger }, undefined, clock);
  for (const flow of FLOWS) await server.save(flow);
  await server.advance(2 * HOUR_MS);
  await server.json("PUT", "/namespaces/demo/kv/before", json("1"));
  const { id } = await server.start("sleeping");
  clock.setForward(ms);
  return { server, clock, lines, id: String(id), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function ticks(server: Harness): Promise<string[]> {
  const path = "/executions/search?size=100&filters[flowId][EQUALS]=hourly&sort=id:asc";
  const { results } = await server.page<ExecutionResponse>(path);
  return results.map(({ trigger }) => String((trigger as { variables: { date: string } }).variables.date));
}

async function stateOf(server: Harness, id: string): Promise<string> {
  return (await server.execution(id)).state.current;
}

/** New work runs, and what was stored is there, also after a crash. */
async function assertServes(server: Harness, id: string): Promise<void> {
  const started = await server.start("sleeping");
  await server.advance(11_000);
  assertEquals(await stateOf(server, String(started.id)), "SUCCESS");
  assertEquals((await server.request("GET", "/namespaces/demo/kv/before")).status, 200);
  await server.json("PUT", "/namespaces/demo/kv/after", json("2"));
  const state = await stateOf(server, id);
  await using again = await server.crash();
  assertEquals(await stateOf(again, id), state);
  assertEquals((await again.request("GET", "/namespaces/demo/kv/after")).status, 200);
}

Deno.test("a clock that jumps forward by a day: what became due starts once, and new work runs", async () => {
  await using jumped = await afterJump(DAY_MS);
  const { server, lines, id } = jumped;
  await server.advance(20_000);
  assert(
    lines.some((line) => line.includes("The clock has jumped forward") && line.includes("seconds=86400")),
  );
  assertEquals(await stateOf(server, id), "SUCCESS");
  const dates = await ticks(server);
  assertEquals([dates.length, new Set(dates).size], [26, 26]);
  await assertServes(server, id);
});

Deno.test("a clock that jumps back by a day: no date starts twice, new work runs, and the rest waits for its date", async () => {
  await using jumped = await afterJump(-DAY_MS);
  const { server, clock, lines, id } = jumped;
  await server.advance(20_000);
  assert(lines.some((line) => line.includes("The clock has jumped back") && line.includes("seconds=-86400")));
  await server.advance(3 * HOUR_MS);
  assertEquals([await stateOf(server, id), (await ticks(server)).length], ["RUNNING", 2]);
  clock.setForward(DAY_MS);
  await server.advance(20_000);
  assertEquals(await stateOf(server, id), "SUCCESS");
  const dates = await ticks(server);
  assertEquals([dates.length, new Set(dates).size], [5, 5]);
  await assertServes(server, id);
});
