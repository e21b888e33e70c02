/** A read that the database fails for a moment delays what a trigger starts: no date, event or call is lost for it. */
import { assertEquals } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { FlakyStore } from "../../support/fakes/flaky_store.ts";
import type { MemoryStore } from "../../support/fakes/memory_store.ts";
import { executionsOf } from "../../support/flows/triggers.ts";
import { json, yaml } from "../../support/flows/request_bodies.ts";
import { EFFECT_TYPE, Harness } from "../../support/harness.ts";

const CORE = "io.kestra.plugin.core";
const MINUTE = 60_000;
const TASKS = `inputs: [{id: n, type: STRING, required: false}]
tasks: [{id: r, type: ${CORE}.debug.Return, format: x}]
`;
const IF_YES = `conditions: [{type: ${CORE}.condition.Expression, expression: "{{ kv('k') == 'yes' }}"}]`;

function flow(id: string, trigger: string): string {
  return `id: ${id}\nnamespace: demo\n${TASKS}triggers: [{id: t, ${trigger}}]\n`;
}

interface Scene extends AsyncDisposable {
  readonly app: Harness;
  readonly store: FlakyStore;
}

/** A server that has read no KV pair yet, with these flows and the pair `k`. */
async function startWith(flows: readonly string[]): Promise<Scene> {
  const stores: FlakyStore[] = [];
  const wrap = (memory: MemoryStore) => {
    const store = new FlakyStore(memory);
    stores.push(store);
    return store;
  };
  const first = await Harness.start({ wrap });
  await first.request("PUT", "/namespaces/demo/kv/k", { body: '"yes"' });
  await first.request("PUT", "/namespaces/demo/kv/cron", { body: '"* * * * *"' });
  for (const source of flows) await first.save(source);
  const app = await first.crash();
  return { app, store: stores.at(-1) as FlakyStore, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

function failKvPairs(store: FlakyStore): void {
  store.fails = ([, kind]) => kind === "kv";
}

async function heal({ app, store }: Scene): Promise<void> {
  for (let second = 0; second < 5; second++) await app.advance(1_000);
  store.fails = () => false;
  for (let second = 0; second < 10; second++) await app.advance(1_000);
}

async function states(app: Harness, flowId: string): Promise<unknown[]> {
  return (await executionsOf(app, flowId)).map(({ state }) => state);
}

/** Schedules of each minute, by what they read. */
const SCHEDULES: readonly (readonly [reads: string, properties: string])[] = [
  ["condition", `cron: "* * * * *", ${IF_YES}`],
  ["input", `cron: "* * * * *", inputs: {n: "{{ kv('k') }}"}`],
  ["cron", `cron: "{{ kv('cron') }}"`],
];

for (const [reads, properties] of SCHEDULES) {
  Deno.test(`a schedule whose ${reads} cannot be read at its date starts once it can, and continues`, async () => {
    await using scene = await startWith([flow("f", `type: ${CORE}.trigger.Schedule, ${properties}`)]);
    const { app, store } = scene;
    failKvPairs(store);
    await app.advance(MINUTE);
    assertEquals(await states(app, "f"), []);
    await heal(scene);
    assertEquals(await states(app, "f"), ["SUCCESS"]);
    await app.advance(MINUTE);
    assertEquals(await states(app, "f"), ["SUCCESS", "SUCCESS"]);
  });
}

Deno.test("a trigger whose condition cannot be read when an execution ends reacts once it can", async () => {
  const upstream = `id: up\nnamespace: demo\n${TASKS}`;
  await using scene = await startWith([upstream, flow("f", `type: ${CORE}.trigger.Flow, ${IF_YES}`)]);
  const { app, store } = scene;
  failKvPairs(store);
  await app.start("up");
  await settle();
  await heal(scene);
  assertEquals(await states(app, "f"), ["SUCCESS"]);
});

Deno.test("a webhook whose key cannot be read refuses the call with 503", async () => {
  await using scene = await startWith([
    flow("f", `type: ${CORE}.trigger.Webhook, key: "{{ kv('k') }}-0123456789abcdef"`),
  ]);
  const { app, store } = scene;
  const call = async () =>
    (await app.request("POST", "/executions/webhook/demo/f/yes-0123456789abcdef")).status;
  failKvPairs(store);
  assertEquals(await call(), 503);
  await heal(scene);
  assertEquals(await call(), 200);
});

Deno.test("a flow whose cron cannot be read is not saved without its dates", async () => {
  await using scene = await startWith([]);
  const { app, store } = scene;
  const source = flow("f", `type: ${CORE}.trigger.Schedule, cron: "{{ kv('cron') }}"`);
  failKvPairs(store);
  assertEquals((await app.request("POST", "/flows", yaml(source))).status, 503);
  await heal(scene);
  assertEquals((await app.request("POST", "/flows", yaml(source))).status, 200);
  await app.advance(MINUTE);
  assertEquals(await states(app, "f"), ["SUCCESS"]);
});

Deno.test("a schedule that waits for an execution ends nothing when that cannot be read at a change", async () => {
  const stores: FlakyStore[] = [];
  const wrap = (memory: MemoryStore) => {
    const store = new FlakyStore(memory);
    stores.push(store);
    return store;
  };
  await using app = await Harness.start({ wrap, effect: () => new Promise(() => {}) });
  const post = (path: string, init: RequestInit) => app.json("POST", `/api/v1/${path}`, init);
  await post("tenants", json({ id: "acme" }));
  const past = "{start: '2026-01-15T10:00:00Z', end: '2026-01-15T10:02:00Z'}";
  const trigger = `id: t, type: ${CORE}.trigger.Schedule, cron: "* * * * *", backfill: ${past}`;
  const tasks = `[{id: e, type: ${EFFECT_TYPE}}]`;
  await post("acme/flows", yaml(`{id: f, namespace: demo, tasks: ${tasks}, triggers: [{${trigger}}]}`));
  await app.advance(1_000);
  for (const store of stores) store.fails = ([tenant, kind]) => tenant === "acme" && kind === "x";
  const removed = await app.request("DELETE", "/api/v1/tenants/acme");
  await settle();
  assertEquals(removed.status, 204);
});
