/** What health checks say while the disk has a fault. */
import { assert, assertEquals } from "@std/assert";
import { toIso } from "../../src/base/time/clock.ts";
import { Logger } from "../../src/base/log.ts";
import type { MemoryStore } from "../support/fakes/memory_store.ts";
import { FAKE_START, FakeClock } from "../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../support/fakes/faulty_store.ts";
import { EFFECT_TYPE, Harness } from "../support/harness.ts";
import { json } from "../support/flows/request_bodies.ts";

const FLOW =
  "id: hello\nnamespace: demo\ntasks:\n  - {id: say, type: io.svc.plugin.core.log.Log, message: hi}\n";
const SINCE = toIso(FAKE_START);
const EXECUTIONS = 20;
const MINUTES = 3;
const PAIR = "/namespaces/demo/kv/name";

interface Server {
  readonly harness: Harness;
  readonly store: FaultyStore;
}

async function withServer(use: (server: Server) => Promise<void>): Promise<void> {
  let store: FaultyStore | undefined;
  const wrap = (memory: MemoryStore) => store = new FaultyStore(memory);
  await using harness = await Harness.start({ wrap });
  await harness.run(FLOW);
  if (store) await use({ harness, store });
}

async function health(harness: Harness, path = "/health"): Promise<[number, unknown]> {
  const response = await harness.request("GET", path);
  return [response.status, await response.json()];
}

async function put(harness: Harness): Promise<{ status: number; retryAfter: string | null }> {
  const response = await harness.request("PUT", PAIR, json("value"));
  await response.body?.cancel();
  return { status: response.status, retryAfter: response.headers.get("retry-after") };
}

const FAULTS: readonly (readonly [Fault, status: number, reason: string])[] = [
  ["full", 507, "the disk is full"],
  ["io_error", 503, "the disk reports errors"],
];
for (const [fault, status, reason] of FAULTS) {
  Deno.test(`GET /health says that ${reason} while writes are refused, and is UP again afterwards`, async () => {
    await withServer(async ({ harness, store }) => {
      assertEquals(await health(harness), [200, { status: "UP" }]);
      store.plan = () => fault;
      assertEquals(await put(harness), { status, retryAfter: "1" });
      const degraded = { status: "DEGRADED", reason, since: SINCE };
      assertEquals(await health(harness), [200, degraded]);
      assertEquals(await health(harness, "/health/readiness"), [200, degraded]);
      assertEquals(await health(harness, "/health/liveness"), [200, { status: "UP" }]);
      store.plan = () => "none";
      await harness.advance(1_000);
      assertEquals(await health(harness), [200, { status: "UP" }]);
      assertEquals((await put(harness)).status, 200);
    });
  });
}

Deno.test("GET /health is 503 with the reason while the database cannot be read", async () => {
  await withServer(async ({ harness, store }) => {
    store.isUnreadable = true;
    const down = { status: "DOWN", reason: "the database cannot be read", since: SINCE };
    assertEquals(await health(harness), [503, down]);
    await harness.advance(5_000);
    assertEquals(await health(harness), [503, down]);
    store.isUnreadable = false;
    assertEquals(await health(harness), [200, { status: "UP" }]);
  });
});

Deno.test("many executions that wait for a full disk do not flood the log", async () => {
  const ends = Promise.withResolvers<void>();
  const lines: string[] = [];
  const clock = new FakeClock();
  const logger = new Logger({ level: "warn", format: "json", clock, write: (line) => void lines.push(line) });
  let store: FaultyStore | undefined;
  const wrap = (memory: MemoryStore) => store = new FaultyStore(memory);
  const effect = () => ends.promise.then(() => ({ state: "SUCCESS" as const }));
  await using harness = await Harness.start({ wrap, effect, logger }, undefined, clock);
  await harness.save(`id: act\nnamespace: demo\ntasks: [{id: act, type: ${EFFECT_TYPE}}]\n`);
  const ids = [];
  for (let n = 0; n < EXECUTIONS; n++) ids.push((await harness.start("act")).id);
  if (store) store.plan = () => "full";
  ends.resolve();
  await harness.advance(MINUTES * 60_000);
  const counts = Map.groupBy(lines.map((line) => JSON.parse(line).message), (message) => message);
  for (const [message, all] of counts) assert(all.length <= MINUTES + 1, `${all.length} times "${message}"`);
  assert(lines.length > 0);
  if (store) store.plan = () => "none";
  await harness.advance(3_000);
  for (const id of ids) assertEquals((await harness.execution(id)).state.current, "SUCCESS");
});
