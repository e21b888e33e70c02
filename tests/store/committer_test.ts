/** The committer: grouping, fencing, unknown outcomes, read-only mode. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { silentLogger } from "../../src/base/log.ts";
import { DomainError } from "../../src/model/errors.ts";
import { MAX_GROUP_MUTATIONS } from "../../src/model/limits.ts";
import { Committer, type Entry } from "../../src/store/committer.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import type { Store } from "../../src/store/store.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../support/fakes/faulty_store.ts";

async function setUp(plan: (commit: number) => Fault = () => "none") {
  const clock = new FakeClock();
  const store = new FaultyStore(new MemoryStore(clock), plan);
  const fatal: string[] = [];
  const committer = await open(store, clock, fatal);
  return { clock, store, committer, fatal };
}

async function open(store: Store, clock: FakeClock, fatal: string[]): Promise<Committer> {
  const logger = silentLogger(clock);
  const committer = new Committer({
    store,
    instance: "one",
    clock,
    logger,
    onFatal: (reason) => fatal.push(reason),
  });
  await committer.start();
  return committer;
}

function entry(name: string, bytes = 10): Entry {
  return { mutations: [{ type: "set", key: ["k", name], value: new Uint8Array(bytes) }] };
}

Deno.test("commit() puts entries of the same turn into one group", async () => {
  const { committer, store } = await setUp();
  await Promise.all(Array.from({ length: 100 }, (_, n) => committer.commit(entry(String(n)))));
  assertEquals(committer.stats.groups, 1);
  assertEquals(store.commits, 2); // the first commit took over the chain
});

Deno.test("commit() never splits an entry and keeps groups within their limits", async () => {
  const { committer, store } = await setUp();
  const sizes: number[] = [];
  store.plan = (_, atomic) => (sizes.push(atomic.mutations.length), "none");
  const mutations = (n: number) =>
    Array.from({ length: 400 }, (_, m) => ({ type: "delete", key: ["d", n, m] } as const));
  await Promise.all([1, 2, 3, 4, 5].map((n) => committer.commit({ mutations: mutations(n) })));
  assertEquals(sizes, [801, 801, 401]);
  assert(Math.max(...sizes) <= MAX_GROUP_MUTATIONS + 1);
});

Deno.test("commit() refuses an entry that exceeds a limit and commits the others of its group", async () => {
  const { committer, store } = await setUp();
  const good = committer.commit(entry("good"));
  await assertRejects(() => committer.commit(entry("bad", 70_000)), DomainError, "too large");
  await assertRejects(() => committer.commit(entry("x".repeat(3000))), DomainError, "too large");
  await good;
  assert(await store.get(["k", "good"]));
});

Deno.test("commit() calls committed() in order and before any commit() resolves", async () => {
  const { committer } = await setUp();
  const order: string[] = [];
  await Promise.all(["a", "b"].map(async (name) => {
    await committer.commit({ ...entry(name), committed: () => order.push(name) });
    order.push(`${name} goes on`);
  }));
  assertEquals(order, ["a", "b", "a goes on", "b goes on"]);
});

Deno.test("commit() resolves after a lost response when the chain key shows that the commit happened", async () => {
  const { committer, store, fatal } = await setUp((commit) => commit === 2 ? "fail_after" : "none");
  await committer.commit(entry("a"));
  await committer.commit(entry("b"));
  assert(await store.get(["k", "a"]));
  assert(await store.get(["k", "b"]));
  assertEquals(fatal, []);
});

const REFUSALS = [["fail_before", "unavailable"], ["full", "storage_full"]] as const;
for (const [fault, code] of REFUSALS) {
  Deno.test(`commit() that ${fault === "full" ? "finds the disk full" : "fails"} is refused as ${code}, and writes are accepted again when a probe succeeds`, async () => {
    let isFaulty = true;
    const { committer, store, clock } = await setUp((commit) => commit > 1 && isFaulty ? fault : "none");
    const error = await assertRejects(() => committer.commit(entry("a")), DomainError);
    assertEquals(error.code, code);
    assert(committer.isReadOnly);
    assertEquals((await assertRejects(() => committer.commit(entry("b")), DomainError)).code, code);
    await clock.advance(5_000);
    assert(committer.isReadOnly);
    isFaulty = false;
    await clock.advance(1_000);
    assertEquals(committer.isReadOnly, false);
    await committer.commit(entry("c"));
    assertEquals(await store.get(["k", "a"]), null);
    assert(await store.get(["k", "c"]));
  });
}

Deno.test("start() of a second process fences the first: its commits fail and onFatal is called", async () => {
  const { committer, store, clock, fatal } = await setUp();
  await committer.commit(entry("a"));
  clock.jump(2_000);
  const second = await open(store, clock, []);
  await assertRejects(() => committer.commit(entry("late")), DomainError, "taken over");
  assertEquals(fatal, ["another process has taken over the database"]);
  assertEquals(await store.get(["k", "late"]), null);
  await second.commit(entry("b"));
  await assertRejects(() => committer.commit(entry("later")), DomainError);
});

Deno.test("start() fences even when the clock does not advance", async () => {
  const { committer, store, clock, fatal } = await setUp();
  await open(store, clock, []);
  await assertRejects(() => committer.commit(entry("late")), DomainError);
  assertEquals(fatal.length, 1);
});

Deno.test("commit() limits bulk entries in a group with other entries", async () => {
  const { committer, store } = await setUp();
  const groups: number[] = [];
  store.plan = (_, atomic) => {
    groups.push(atomic.mutations.filter((mutation) => mutation.key[1] === "bulk").length);
    return "none";
  };
  const bulk = Array.from(
    { length: 10 },
    (_, n) =>
      committer.commit({
        bulk: true,
        mutations: [{ type: "set", key: ["k", "bulk", n], value: new Uint8Array(60_000) }],
      }),
  );
  const normal = committer.commit(entry("a"));
  await normal;
  assertEquals(groups[0], 2);
  await Promise.all(bulk);
});

Deno.test("asyncDispose() commits the waiting entries and refuses further ones", async () => {
  const { committer, store } = await setUp();
  const waiting = committer.commit(entry("a"));
  await committer[Symbol.asyncDispose]();
  await waiting;
  assert(await store.get(["k", "a"]));
  await assertRejects(() => committer.commit(entry("b")), DomainError, "shutting down");
});

Deno.test("asyncDispose() ends although each entry is followed by another one", async () => {
  const { committer } = await setUp();
  let count = 0;
  const endless = async (): Promise<void> => {
    await committer.commit(entry(`e${count++}`));
    if (count < 10_000) await endless();
  };
  const load = assertRejects(endless, DomainError, "shutting down");
  await committer[Symbol.asyncDispose]();
  await load;
  assert(count < 10, `${count} entries`);
});

Deno.test("commit() reserves room in a group for the mutations that riders add for each entry", async () => {
  const { committer, store } = await setUp();
  committer.addRider({
    contribute: (entries) => ({
      mutations: entries.flatMap(({ facts }) => facts?.rows ?? []).map(({ tenant }) => ({
        type: "delete",
        key: ["row", tenant],
      })),
      messages: [],
    }),
    committed: () => {},
    refused: () => {},
  });
  const sizes: number[] = [];
  store.plan = (_, atomic) => (sizes.push(atomic.mutations.length), "none");
  const row = new Uint8Array(56);
  await Promise.all(
    Array.from(
      { length: 1_000 },
      (_, n) => committer.commit({ ...entry(String(n)), facts: { rows: [{ tenant: `t${n}`, row }] } }),
    ),
  );
  assert(Math.max(...sizes) <= 1_000, `${sizes}`);
});
