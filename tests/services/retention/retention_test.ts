import { assertEquals, assertStringIncludes } from "@std/assert";
import { Logger } from "../../../src/base/log.ts";
import type { Atomic } from "../../../src/store/store.ts";
import type { MemoryStore } from "../../support/fakes/memory_store.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { effects, flowSource, logs, sleeps } from "../../support/flows/flow_sources.ts";
import { Harness, type HarnessOptions } from "../../support/harness.ts";

const HOUR = 3_600_000;
const SAY = flowSource("say", logs("one", "hello"));
const LONG = flowSource("long", effects("chatty"));
const SLEEP = flowSource("sleep", sleeps("wait", "P30D"));
const LATER = `${flowSource("later", logs("one", "hello"))}afterExecution:\n${effects("slow")}`;

const WRITE = "  - { id: w, type: io.kestra.plugin.core.storage.Write, content: kept }\n";
const PURGE =
  "  - { id: p, type: io.kestra.plugin.core.storage.PurgeStorage, endDate: '{{ now() }}', dryRun: false }\n";

/** Starts a flow once an hour; returns the ids, oldest first. */
async function runHourly(server: Harness, flowId: string, times: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < times; i++) {
    ids.push(String((await server.start(flowId)).id));
    await server.advance(HOUR);
  }
  return ids;
}

async function remaining(server: Harness): Promise<string[]> {
  const { results, total } = await server.page<{ id: string }>("/executions/search?sort=id:asc&size=1000");
  assertEquals(total, results.length);
  return results.map(({ id }) => id);
}

/** Keys that contain the id of an execution. */
async function keysOf(store: MemoryStore, id: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list({ start: [], end: [true] })) {
    if (key.includes(id)) keys.push(JSON.stringify(key));
  }
  return keys;
}

const RULES: readonly (readonly [what: string, retention: HarnessOptions["retention"], left: number])[] = [
  ["nothing without rules", {}, 5],
  ["what ended longer ago", { maxAgeMs: 2.5 * HOUR }, 2],
  ["all but the newest", { maxCount: 3 }, 3],
  ["what either rule removes", { maxCount: 4, maxAgeMs: 1.5 * HOUR }, 1],
  ["nothing while there are few", { maxCount: 5 }, 5],
];
for (const [what, retention, left] of RULES) {
  Deno.test(`round() removes ${what}`, async () => {
    await using server = await Harness.start({ retention });
    await server.save(SAY);
    const ids = await runHourly(server, "say", 5);
    await server.advance(60_000);
    assertEquals(await remaining(server), ids.slice(5 - left));
    for (const id of ids.slice(0, 5 - left)) {
      assertEquals(await keysOf(server.store, id), []);
      assertEquals((await server.request("GET", `/executions/${id}`)).status, 404);
      assertEquals(await server.json("GET", `/logs/${id}`), []);
    }
  });
}

Deno.test("round() removes many executions and logs their number", async () => {
  const lines: string[] = [];
  const clock = new FakeClock();
  const logger = new Logger({ level: "info", format: "text", clock, write: (line) => void lines.push(line) });
  await using server = await Harness.start({ retention: { maxCount: 10 }, logger }, undefined, clock);
  await server.save(SAY);
  for (let i = 0; i < 1_200; i++) await server.start("say");
  await server.advance(61_000);
  for (let i = 0; i < 50; i++) await settle();
  assertEquals((await remaining(server)).length, 10);
  assertStringIncludes(lines.join("\n"), "Removed old executions");
  assertStringIncludes(lines.join("\n"), "1190");
});

Deno.test("round() removes task runs, log lines and files of a large execution", async () => {
  await using server = await Harness.start({ retention: { maxAgeMs: HOUR }, effect: chatter });
  await server.save(LONG);
  const [id = ""] = await runHourly(server, "long", 1);
  assertEquals((await keysOf(server.store, id)).length > 5, true);
  await server.advance(HOUR);
  assertEquals(await keysOf(server.store, id), []);
});

Deno.test("round() keeps sleeping executions and ended ones that still run tasks", async () => {
  const ended = Promise.withResolvers<void>();
  const effect: HarnessOptions["effect"] = async () => {
    await ended.promise;
    return { state: "SUCCESS", outputs: {} };
  };
  await using server = await Harness.start({ retention: { maxAgeMs: 60_000, maxCount: 1 }, effect });
  for (const source of [SLEEP, LATER, SAY]) await server.save(source);
  const ids: string[] = [];
  for (const flow of ["sleep", "later", "say", "say"]) ids.push(String((await server.start(flow)).id));
  await settle();
  assertEquals((await server.execution(ids[1])).state.current, "SUCCESS");
  await server.advance(HOUR);
  assertEquals(await remaining(server), ids.slice(0, 2));
  ended.resolve();
  await server.advance(2 * HOUR);
  assertEquals(await remaining(server), ids.slice(0, 1));
});

Deno.test("a removal that a crash interrupts is completed after the restart", async () => {
  const cut = { isArmed: true };
  const wrap = (store: MemoryStore) =>
    withCommit(store, (atomic) => cut.isArmed && removesLogs(atomic) ? new Promise(() => {}) : undefined);
  const server = await Harness.start({ retention: { maxAgeMs: HOUR }, effect: chatter, wrap });
  await server.save(LONG);
  const [id = ""] = await runHourly(server, "long", 1);
  await server.advance(HOUR);
  assertEquals((await server.request("GET", `/executions/${id}`)).status, 404);
  assertEquals((await keysOf(server.store, id)).length > 1, true);
  cut.isArmed = false;
  await using next = await server.crash();
  assertEquals(await keysOf(next.store, id), []);
  assertEquals(await remaining(next), []);
});

Deno.test("round() continues after a refused commit and loses no other execution", async () => {
  const disk = { isFull: false };
  const wrap = (store: MemoryStore) =>
    withCommit(store, () => disk.isFull ? Promise.reject(new Error("database or disk is full")) : undefined);
  await using server = await Harness.start({ retention: { maxCount: 2 }, wrap });
  await server.save(SAY);
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push(String((await server.start("say")).id));
  disk.isFull = true;
  await server.advance(61_000);
  assertEquals(await remaining(server), ids);
  assertEquals((await server.execution(ids[0])).state.current, "SUCCESS");
  disk.isFull = false;
  await server.advance(122_000);
  assertEquals(await remaining(server), ids.slice(2));
});

Deno.test("files whose purge the disk refuses can be read as before", async () => {
  const disk = { isFull: false };
  const refused = () => Promise.reject(new Error("database or disk is full"));
  const wrap = (store: MemoryStore) =>
    withCommit(store, (atomic) => disk.isFull && removesFiles(atomic) ? refused() : undefined);
  await using server = await Harness.start({ wrap });
  const kept = await server.run(flowSource("keep", WRITE));
  await server.advance(1_000);
  disk.isFull = true;
  const { id } = await server.run(flowSource("purge", PURGE));
  disk.isFull = false;
  await server.advance(2_000);
  assertEquals((await server.execution(String(id))).state.current, "FAILED");
  const uri = String(kept.taskRunList[0]?.outputs?.uri);
  const path = `/executions/${kept.id}/file?path=${encodeURIComponent(uri)}`;
  assertEquals(await (await server.request("GET", path)).text(), "kept");
});

const chatter: HarnessOptions["effect"] = (_properties, context) => {
  for (let i = 0; i < 1_000; i++) context.log("INFO", `line ${i} ${"x".repeat(100)}`);
  return { state: "SUCCESS", outputs: { text: "y".repeat(20_000) } };
};

/** A store that refuses some commits. */
function withCommit(
  store: MemoryStore,
  outcome: (atomic: Atomic) => Promise<string | null> | undefined,
): MemoryStore {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name === "commit") return (atomic: Atomic) => outcome(atomic) ?? target.commit(atomic);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function removesFiles({ mutations }: Atomic): boolean {
  return mutations.some(({ type, key }) => type === "delete" && key[1] === "ef");
}

function removesLogs({ mutations }: Atomic): boolean {
  return mutations.some(({ type, key }) => type === "delete" && key[1] === "l");
}
