/** Concurrency limits: that of the latest revision counts, for who waits already too. */
import { assertEquals } from "@std/assert";
import type { Execution } from "../../../src/model/executions/execution.ts";
import { Slots } from "../../../src/runtime/live/slots.ts";
import { executionKey, queuedKey, slotKey } from "../../../src/store/keys.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { FlakyStore } from "../../support/fakes/flaky_store.ts";
import type { MemoryStore } from "../../support/fakes/memory_store.ts";
import { type ExecutionResponse, Harness } from "../../support/harness.ts";
import { yaml } from "../../support/flows/request_bodies.ts";

function limited(concurrency: string, message = "1"): string {
  return `
id: limited
namespace: demo
${concurrency}
tasks:
  - {id: p, type: io.kestra.plugin.core.flow.Pause, description: "${message}"}
`;
}

async function update(app: Harness, source: string): Promise<void> {
  await app.json("PUT", "/flows/demo/limited", yaml(source));
  await settle();
}

async function states(app: Harness): Promise<string> {
  const { results } = await app.page<ExecutionResponse>("/executions/search?sort=id:asc");
  return results.map(({ state }) => state.current).join(" ");
}

async function startSome(app: Harness, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await app.start("limited");
    await app.advance(1);
  }
}

interface Case {
  readonly name: string;
  readonly next: string;
  readonly expected: string;
}

const CASES: readonly Case[] = [
  { name: "a higher one", next: "concurrency: {limit: 3}", expected: "PAUSED PAUSED PAUSED QUEUED" },
  { name: "none", next: "", expected: "PAUSED PAUSED PAUSED PAUSED" },
  { name: "the same", next: "concurrency: {limit: 1}", expected: "PAUSED QUEUED QUEUED QUEUED" },
];

for (const { name, next, expected } of CASES) {
  Deno.test(`setLimit(): ${name} holds for those who wait, also after a crash`, async () => {
    const first = await Harness.start();
    await first.save(limited("concurrency: {limit: 1}"));
    await startSome(first, 4);
    assertEquals(await states(first), "PAUSED QUEUED QUEUED QUEUED");
    await update(first, limited(next, "2"));
    assertEquals(await states(first), expected);
    await using second = await first.crash();
    await settle();
    assertEquals(await states(second), expected);
  });
}

Deno.test("a flow that cannot be read at the start: the server starts, and its free slots are granted once it can", async () => {
  const stores: FlakyStore[] = [];
  const wrap = (memory: MemoryStore) => {
    const store = new FlakyStore(memory);
    stores.push(store);
    // The records of the flows are read before; the plan of a revision is not.
    if (stores.length > 1) store.fails = ([, kind]) => kind === "fr";
    return store;
  };
  const first = await Harness.start({ wrap });
  await first.save(limited("concurrency: {limit: 1}"));
  await startSome(first, 2);
  const { results: [paused] } = await first.page<ExecutionResponse>("/executions/search?sort=id:asc");
  // As after a crash between the end of an execution and the start of the next.
  const key = slotKey("main", { namespace: "demo", id: "limited" }, String(paused?.id));
  await first.store.commit({ checks: [], mutations: [{ type: "delete", key }], messages: [] });
  await using second = await first.crash();
  const [, store] = stores as [FlakyStore, FlakyStore];
  await second.advance(10_000);
  assertEquals(await states(second), "PAUSED QUEUED");
  store.fails = () => false;
  await second.advance(10_000);
  assertEquals(await states(second), "PAUSED PAUSED");
});

Deno.test("setLimit(): a lower one lets those who run end, then counts", async () => {
  await using app = await Harness.start();
  await app.save(limited("concurrency: {limit: 2}"));
  await startSome(app, 3);
  const { results } = await app.page<ExecutionResponse>("/executions/search?sort=id:asc");
  await update(app, limited("concurrency: {limit: 1}", "2"));
  assertEquals(await states(app), "PAUSED PAUSED QUEUED");
  await app.json("POST", `/executions/${results[0]?.id}/resume`);
  await settle();
  assertEquals(await states(app), "SUCCESS PAUSED QUEUED");
  await app.json("POST", `/executions/${results[1]?.id}/resume`);
  await settle();
  assertEquals(await states(app), "SUCCESS SUCCESS PAUSED");
});

Deno.test("an execution that waits for its date takes no slot, also after a crash", async () => {
  const first = await Harness.start();
  await first.save(limited("concurrency: {limit: 1}"));
  await first.start("limited", {}, "?scheduleDate=2126-01-01T00:00:00Z");
  await first.advance(1);
  await using second = await first.crash();
  await settle();
  await startSome(second, 2);
  assertEquals(await states(second), "CREATED PAUSED QUEUED");
});

/** The slot as earlier versions stored it, for executions that waited for their date too. */
async function storeOldSlot(app: Harness, id: string): Promise<void> {
  const key = slotKey("main", { namespace: "demo", id: "limited" }, id);
  const mutation = { type: "set", key, value: new Uint8Array([1]) } as const;
  await app.store.commit({ checks: [], mutations: [mutation], messages: [] });
}

Deno.test("load() counts no slot that an earlier version stored for an execution that waits for its date", async () => {
  const first = await Harness.start();
  await first.save(limited("concurrency: {limit: 1}"));
  const date = new Date(first.clock.now() + 3_600_000).toISOString();
  const { id } = await first.start("limited", {}, `?scheduleDate=${date}`);
  await first.advance(1);
  await storeOldSlot(first, String(id));
  await using second = await first.crash();
  await startSome(second, 2);
  assertEquals(await states(second), "CREATED PAUSED QUEUED");
  await second.advance(3_600_000);
  assertEquals(await states(second), "QUEUED PAUSED QUEUED");
  assertEquals([second.store.count(["main", "cs"]), second.store.count(["main", "xq"])], [1, 2]);
});

Deno.test("load() removes such a slot with the next commit of its execution", async () => {
  const first = await Harness.start();
  await first.save(limited("concurrency: {limit: 1}"));
  const { id } = await first.start("limited", {}, "?scheduleDate=2126-01-01T00:00:00Z");
  await first.advance(1);
  await storeOldSlot(first, String(id));
  await using second = await first.crash();
  await second.json("DELETE", `/executions/${id}/kill`);
  await settle();
  assertEquals([await states(second), second.store.count(["main", "cs"])], ["KILLED", 0]);
});

Deno.test("load() counts a slot that an earlier version stored for an execution that has begun, or cannot be read", async () => {
  const first = await Harness.start();
  await first.save(limited("concurrency: {limit: 2}"));
  await startSome(first, 1);
  const { results: [paused] } = await first.page<ExecutionResponse>("/executions/search");
  await storeOldSlot(first, String(paused?.id));
  const unreadable = {
    type: "set",
    key: executionKey("main", "A0000000000000000000aa"),
    value: new Uint8Array([99]),
  } as const;
  await first.store.commit({ checks: [], mutations: [unreadable], messages: [] });
  await storeOldSlot(first, "A0000000000000000000aa");
  await using second = await first.crash();
  await startSome(second, 1);
  assertEquals(await states(second), "PAUSED QUEUED");
});

Deno.test("load() asks nothing of executions whose slots this version has stored", async () => {
  await using app = await Harness.start();
  await app.save(limited("concurrency: {limit: 3}"));
  await startSome(app, 3);
  const slots = new Slots();
  const asked: string[] = [];
  await slots.load(app.store, "main", (id) => Promise.resolve(asked.push(id) > 0));
  assertEquals([asked, slots.usageOf({ ...FLOW, id: "" }).running], [[], 3]);
});

const LIMIT = { limit: 1, behavior: "QUEUE" } as const;

function execution(id: string, state: "QUEUED" | "RUNNING"): Execution {
  return {
    tenant: "main",
    namespace: "demo",
    flowId: "limited",
    id,
    history: [{ state, at: 0 }],
  } as Execution;
}

Deno.test("removalOf() removes what a commit in progress is storing", () => {
  const slots = new Slots();
  slots.admit(execution("a", "RUNNING"), LIMIT);
  slots.admit(execution("b", "QUEUED"), LIMIT);
  slots.changeOf(execution("b", "QUEUED"))?.committed();
  assertEquals(slots.grant(execution("a", "RUNNING"), 2), ["b"]);
  const granted = slots.changeOf(execution("b", "RUNNING"));
  assertEquals(granted?.mutations.map(({ type }) => type), ["delete", "set"]);
  const flow = { namespace: "demo", id: "limited" };
  assertEquals(slots.removalOf(execution("b", "QUEUED"))?.mutations, [
    { type: "delete", key: slotKey("main", flow, "b") },
    { type: "delete", key: queuedKey("main", flow, "b") },
  ]);
  assertEquals(slots.removalOf({ ...execution("c", "QUEUED"), flowId: "unlimited" }), undefined);
});

const FLOW = { tenant: "main", namespace: "demo", flowId: "limited" };

Deno.test("forgetLimit() drops a deleted flow once no execution holds anything of it", () => {
  const slots = new Slots();
  slots.setLimit(FLOW, 1);
  const running = execution("a", "RUNNING");
  slots.admit(running, LIMIT);
  slots.changeOf(running)?.committed();
  slots.forgetLimit(FLOW);
  assertEquals([slots.setLimit(FLOW, undefined), slots.usageOf(running).running], [true, 1]);
  slots.forgetLimit(FLOW);
  const ended = { ...running, history: [...running.history, { state: "SUCCESS" as const, at: 1 }] };
  assertEquals(slots.changeOf(ended)?.mutations.map(({ type }) => type), ["delete"]);
  slots.changeOf(ended)?.committed();
  assertEquals([...slots.next(ended, 1), ...slots.grant(ended, 1)], []);
  assertEquals([slots.usageOf(ended).running, slots.setLimit(FLOW, undefined)], [0, false]);
});

Deno.test("forgetTenant() drops the flows of a tenant, not those of others", () => {
  const slots = new Slots();
  for (const tenant of ["a", "ab"]) slots.setLimit({ ...FLOW, tenant }, 1);
  slots.forgetTenant("a");
  assertEquals(["a", "ab"].map((tenant) => slots.setLimit({ ...FLOW, tenant }, undefined)), [false, true]);
});

Deno.test("usageOf() keeps nothing of a flow that has no limit", () => {
  const slots = new Slots();
  assertEquals(slots.usageOf(execution("a", "RUNNING")), { running: 0, ahead: -1 });
  assertEquals(slots.setLimit(FLOW, undefined), false);
});

Deno.test("a removal that was begun before its flow was dropped releases what an execution holds since", () => {
  const slots = new Slots();
  const running = execution("a", "RUNNING");
  slots.admit(running, LIMIT);
  const removal = slots.removalOf(running);
  slots.release(running);
  slots.admit(running, LIMIT);
  removal?.committed();
  assertEquals(slots.usageOf(running).running, 0);
});

Deno.test("DELETE /flows/:namespace/:id drops the slots of the flow", async () => {
  await using app = await Harness.start();
  await app.save(limited("concurrency: {limit: 1}"));
  await app.json("DELETE", "/flows/demo/limited");
  assertEquals(app.assembly.executor.slots.setLimit(FLOW, undefined), false);
});
