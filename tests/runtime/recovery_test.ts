/** After crashes: what only waited was not interrupted, and is not given up for what others do. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Atomic, Key, Store, StoredEntry } from "../../src/store/store.ts";
import { Logger } from "../../src/base/log.ts";
import { encodeJson } from "../../src/store/codec.ts";
import { executionKey, INSTANCE, manifestKey, messageKey } from "../../src/store/keys.ts";
import { FakeClock, settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness, statesOf } from "../support/harness.ts";

/** Processes that lead in turn: each start is a take-over from one that may be alive. */
const SHARED = {
  lease: {
    isOwn: false,
    take: () => ({ checks: [], mutations: [] }),
    taken: () => {},
    giveBack: () => Promise.resolve({ checks: [], mutations: [] }),
  },
};
const CORE = "io.kestra.plugin.core";
const NEVER = `id: never\nnamespace: demo\ntasks: [{id: a, type: ${EFFECT_TYPE}, name: never}]\n`;
const CHILD = `id: child\nnamespace: demo\ntasks: [{id: p, type: ${CORE}.flow.Pause}]\n`;

/** Tasks after one that has an effect, and what they wait for. */
const WAITS: readonly (readonly [name: string, task: string])[] = [
  ["a person", `{id: w, type: ${CORE}.flow.Pause}`],
  ["a time", `{id: w, type: ${CORE}.flow.Sleep, duration: PT1H}`],
  [
    "a retry",
    `{id: w, type: ${CORE}.execution.Fail, retry: {type: constant, interval: PT1H, maxAttempt: 2}}`,
  ],
  ["another execution", `{id: w, type: ${CORE}.flow.Subflow, namespace: demo, flowId: child}`],
  [
    "the next pass",
    `{id: w, type: ${CORE}.flow.LoopUntil, condition: "false", checkFrequency: {interval: PT1H}, ` +
    `tasks: [{id: r, type: ${CORE}.debug.Return, format: x}]}`,
  ],
  [
    "two times",
    `{id: w, type: ${CORE}.flow.Parallel, tasks: [{id: x, type: ${CORE}.flow.Sleep, duration: PT1H}, ` +
    `{id: y, type: ${CORE}.flow.Sleep, duration: PT2H}]}`,
  ],
];

for (const [name, task] of WAITS) {
  Deno.test(`recover() of an execution that waits for ${name}: three crashes beside one that is live are not its own`, async () => {
    const effect = ({ name }: { readonly name?: unknown }) =>
      name === "never" ? new Promise<never>(() => {}) : { state: "SUCCESS", outputs: {} } as const;
    let app = await Harness.start({ effect });
    await app.save(NEVER);
    await app.save(CHILD);
    await app.save(`id: waits\nnamespace: demo\ntasks:\n  - {id: a, type: ${EFFECT_TYPE}}\n  - ${task}\n`);
    // Both become live with one commit, which lists them together.
    const [waits, never] = await Promise.all([app.start("waits"), app.start("never")]);
    await settle();
    const before = await app.execution(waits.id);
    for (let crash = 0; crash < 3; crash++) {
      app = await app.crash();
      await settle();
    }
    assertEquals(statesOf(await app.execution(waits.id)), statesOf(before));
    assertEquals((await app.execution(never.id)).state.current, "FAILED");
    await app[Symbol.asyncDispose]();
  });
}

async function stateAfterCrashes(
  count: number,
  options: Parameters<typeof Harness.start>[0],
): Promise<string> {
  let app = await Harness.start({ ...options, effect: () => new Promise<never>(() => {}) });
  await app.save(NEVER);
  const { id } = await app.start("never");
  for (let crash = 0; crash < count; crash++) {
    app = await app.crash();
    await settle();
  }
  const { state } = await app.execution(id);
  await app[Symbol.asyncDispose]();
  return state.current;
}

Deno.test("recover(): the third crash of the only server gives an execution up, of processes in turn the tenth", async () => {
  const counts = [[2, {}], [3, {}], [3, SHARED], [9, SHARED], [10, SHARED]] as const;
  const states = await Promise.all(counts.map(([count, options]) => stateAfterCrashes(count, options)));
  assertEquals(states, ["RUNNING", "FAILED", "RUNNING", "RUNNING", "FAILED"]);
});

Deno.test("recover(): where processes lead in turn, a task that ends begins the count again", async () => {
  let ended = 0;
  const effect = ({ name }: { readonly name?: unknown }) =>
    Number(name) <= ended ? { state: "SUCCESS", outputs: {} } as const : new Promise<never>(() => {});
  let app = await Harness.start({ ...SHARED, effect });
  const tasks = [1, 2].map((n) => `{id: t${n}, type: ${EFFECT_TYPE}, name: "${n}"}`);
  await app.save(`{id: long, namespace: demo, tasks: [${tasks}]}`);
  const { id } = await app.start("long");
  for (let crash = 1; crash <= 18; crash++) {
    if (crash === 9) ended = 1;
    app = await app.crash();
    await settle();
  }
  assertEquals((await app.execution(id)).state.current, "RUNNING");
  app = await app.crash();
  await settle();
  assertEquals((await app.execution(id)).state.current, "FAILED");
  await app[Symbol.asyncDispose]();
});

/** Counts the reads of single keys that run at a time. */
class CountingStore extends FaultyStore {
  mostReads = 0;
  #reads = 0;

  override async get(key: Key): Promise<StoredEntry | null> {
    this.mostReads = Math.max(this.mostReads, ++this.#reads);
    await settle(1);
    this.#reads--;
    return await super.get(key);
  }
}

Deno.test("recover() loads up to 320 executions at a time: a database may be far away", async () => {
  const stores: CountingStore[] = [];
  const app = await Harness.start({
    effect: () => new Promise<never>(() => {}),
    wrap: (store) => {
      stores.push(new CountingStore(store));
      return stores.at(-1) as CountingStore;
    },
  });
  await app.save(NEVER);
  const started = await Promise.all(Array.from({ length: 400 }, () => app.start("never")));
  const next = await app.crash();
  assertEquals(stores.at(-1)?.mostReads, 320);
  await settle();
  const states = await Promise.all(started.map(async ({ id }) => (await next.execution(id)).state.current));
  assertEquals(new Set(states), new Set(["RUNNING"]));
  await next[Symbol.asyncDispose]();
});

Deno.test("recover() of a listed execution that waits for its date: it begins at its date, however many crashes come before", async () => {
  let app = await Harness.start();
  await app.save(CHILD);
  const date = new Date(app.clock.now() + 3_600_000).toISOString();
  const { id } = await app.start("child", {}, `?scheduleDate=${date}`);
  const value = encodeJson([["main", String(id)]]);
  const manifest = { type: "set", key: manifestKey(INSTANCE, 1), value } as const;
  for (let crash = 0; crash < 4; crash++) {
    await app.store.commit({ checks: [], mutations: [manifest], messages: [] });
    app = await app.crash();
    await settle();
  }
  assertEquals(statesOf(await app.execution(id)), "CREATED");
  await app.advance(3_600_000);
  assertEquals(statesOf(await app.execution(id)), "CREATED RUNNING PAUSED");
  await app[Symbol.asyncDispose]();
});

Deno.test("a message that cannot be delivered stays stored; the server starts and delivers the others", async () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const logger = new Logger({ level: "error", format: "text", clock: new FakeClock(), write });
  const app = await Harness.start({ logger });
  await app.save(CHILD);
  const [broken, other] = [await app.start("child"), await app.start("child")];
  await settle();
  const kill = encodeJson({ type: "kill_asked" });
  const messages = [broken, other].map(({ id }) => messageKey("main", String(id), "parent", "kill"));
  const mutations = messages.map((key) => ({ type: "set", key, value: kill }) as const);
  const record = {
    type: "set",
    key: executionKey("main", String(broken.id)),
    value: new Uint8Array([99]),
  } as const;
  await app.store.commit({ checks: [], mutations: [...mutations, record], messages: [] });
  await using next = await app.crash();
  await settle();
  assertEquals((await next.execution(other.id)).state.current, "KILLED");
  assertEquals(await Promise.all(messages.map(async (key) => (await next.store.get(key)) !== null)), [
    true,
    false,
  ]);
  assertMatch(
    lines.join("\n"),
    new RegExp(`cannot be delivered and waits execution=${broken.id} error=`),
  );
});

const LIMIT = 3;
/** More than one commit begins. */
const COUNT = 110;
const LIMITED = `
id: limited
namespace: demo
concurrency: {limit: ${LIMIT}}
sla: [{id: short, type: MAX_DURATION, duration: PT3S, behavior: FAIL}]
inputs: [{id: wait, type: STRING}]
tasks: [{id: s, type: ${CORE}.flow.Sleep, duration: "{{ inputs.wait }}"}]
`;
const STARTS_LIMITED = `
id: starter
namespace: demo
tasks:
  - id: all
    type: ${CORE}.flow.ForEach
    concurrencyLimit: 0
    values: "{{ range(1, ${COUNT}) }}"
    tasks:
      - id: s
        type: ${CORE}.flow.Subflow
        namespace: demo
        flowId: limited
        transmitFailed: false
        inputs: {wait: "{{ taskrun.iteration % 2 == 0 ? 'PT1H' : 'PT1S' }}"}
`;

/** Number of executions of the limited flow by state. */
async function limitedStates(app: Harness): Promise<Record<string, number>> {
  const page = await app.page<ExecutionResponse>("/executions/search?flowId=limited&size=500");
  const byState = Map.groupBy(page.results, ({ state }) => state.current);
  return Object.fromEntries([...byState].map(([state, all]) => [state, all.length]));
}

Deno.test("recover() of executions that a commit created and did not begin: they keep to their limit and their SLA", async () => {
  let isGone = false;
  const createsMany = ({ mutations }: Atomic) => mutations.filter(({ key }) => key[1] === "x").length > 50;
  const wrap = (memory: Store) =>
    new FaultyStore(memory, (_, atomic) => {
      if (isGone) return "full";
      isGone = createsMany(atomic);
      return "none";
    });
  const first = await Harness.start({ wrap });
  await first.save(LIMITED);
  await first.save(STARTS_LIMITED);
  const { id } = await first.start("starter");
  for (let turn = 0; turn < 100 && !isGone; turn++) await settle();
  assertEquals(await limitedStates(first), { RUNNING: LIMIT, QUEUED: LIMIT, CREATED: 100 });
  await first.advance(1); // Else the next process would use the same ids.
  let app = await first.crash({});
  for (let seconds = 0; seconds < 200; seconds++) {
    if ((await app.execution(id)).state.current !== "RUNNING") break;
    if (seconds === 7) app = await app.crash({});
    await app.advance(1_000);
    const { RUNNING: running = 0, QUEUED: queued = 0, CREATED: created = 0 } = await limitedStates(app);
    assert(running === LIMIT || running < LIMIT && queued === 0, `${running} run, ${queued} are queued`);
    assertEquals(created, 0);
  }
  assertEquals(await limitedStates(app), { SUCCESS: COUNT / 2, FAILED: COUNT / 2 });
  const rows = [app.store.count(["main", "cs"]), app.store.count(["main", "xq"]), app.store.count(["tm"])];
  assertEquals([(await app.execution(id)).state.current, ...rows], ["SUCCESS", 0, 0, 0]);
  await app[Symbol.asyncDispose]();
});
