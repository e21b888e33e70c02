/** Data of formats 1 to 3, whose chain and manifests have other keys. */
import { assertEquals, assertGreater, assertRejects } from "@std/assert";
import { silentLogger } from "../../src/base/log.ts";
import { decodeJson, encodeJson } from "../../src/store/codec.ts";
import { Committer } from "../../src/store/committer.ts";
import { chainKey, manifestKey, manifestsOf } from "../../src/store/keys.ts";
import { oldChainKey, oldManifestsOf } from "../../src/store/old_keys.ts";
import { Manifests } from "../../src/store/manifests.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../support/fakes/faulty_store.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";

const OLD_CHAIN = { epoch: 1, seq: 7, id: "old.7", isLeft: true };
const OLD_KEY = oldChainKey("one");
const LISTED = [["main", "a"], ["main", "b"]];

async function setUp() {
  const clock = new FakeClock();
  const memory = new MemoryStore(clock);
  const store = new FaultyStore(memory);
  await memory.commit({
    checks: [],
    mutations: [
      { type: "set", key: OLD_KEY, value: encodeJson(OLD_CHAIN) },
      ...LISTED.map((listed, n) =>
        ({ type: "set", key: ["g", "one", n], value: encodeJson([listed]) }) as const
      ),
    ],
    messages: [],
  });
  const onFatal = () => {};
  const logger = silentLogger(clock);
  const open = () => new Committer({ store, instance: "one", clock, logger, onFatal });
  const has = async (key: typeof OLD_KEY) => await memory.get(key) !== null;
  return { clock, memory, store, open, has };
}

Deno.test("start() goes on with the chain of earlier data, under the new key only", async () => {
  const { memory, open, has } = await setUp();
  const committer = open();
  await committer.start();
  assertEquals([committer.followsStop, await has(OLD_KEY)], [true, false]);
  const { epoch, seq } = decodeJson(
    (await memory.get(chainKey("one")))?.value ?? new Uint8Array(),
  ) as typeof OLD_CHAIN;
  assertEquals(seq, OLD_CHAIN.seq + 1);
  assertGreater(epoch, OLD_CHAIN.epoch);
  await committer[Symbol.asyncDispose]();
});

Deno.test("start() fences a writer of the earlier version", async () => {
  const { memory, open } = await setUp();
  const versionstamp = (await memory.get(OLD_KEY))?.versionstamp ?? null;
  const committer = open();
  await committer.start();
  const late = await memory.commit({
    checks: [{ key: OLD_KEY, versionstamp }],
    mutations: [{ type: "set", key: OLD_KEY, value: encodeJson({ ...OLD_CHAIN, seq: 8 }) }],
    messages: [],
  });
  assertEquals(late, null);
  await committer[Symbol.asyncDispose]();
});

Deno.test("start() is refused when a writer of the earlier version commits at the same time", async () => {
  const { memory, store, open, has } = await setUp();
  store.plan = () => {
    store.plan = () => "none";
    const value = encodeJson({ ...OLD_CHAIN, seq: 8 });
    void memory.commit({ checks: [], mutations: [{ type: "set", key: OLD_KEY, value }], messages: [] });
    return "none";
  };
  await assertRejects(() => open().start(), Error, "another process is starting");
  assertEquals([await has(OLD_KEY), await has(chainKey("one"))], [true, false]);
});

for (const [fault, isStarted] of [["fail_before", false], ["fail_after", true]] as const) {
  Deno.test(`start() over earlier data, with a first commit that ends with "${fault}", loses no chain`, async () => {
    const { store, open, has } = await setUp();
    let isFirst = true;
    store.plan = (): Fault => {
      const planned = isFirst ? fault : "none";
      isFirst = false;
      return planned;
    };
    assertEquals(await open().start().then(() => true, () => false), isStarted);
    assertEquals([await has(OLD_KEY), await has(chainKey("one"))], [!isStarted, isStarted]);
    const next = open();
    await next.start();
    assertEquals(await has(OLD_KEY), false);
    await next[Symbol.asyncDispose]();
  });
}

for (const moved of [0, 1, 2]) {
  Deno.test(`Manifests.moveOld() completes a move that ended after ${moved} manifests`, async () => {
    const { memory, open } = await setUp();
    const manifests = new Manifests("one", true);
    const committer = open();
    committer.addRider(manifests);
    await committer.start();
    let commits = 0;
    const some = (entry: Parameters<Committer["commit"]>[0]) =>
      commits++ < moved ? committer.commit(entry) : Promise.resolve();
    await manifests.moveOld(memory, some);
    await manifests.moveOld(memory, (entry) => committer.commit(entry));
    const listed = await manifests.read(memory);
    assertEquals(listed, [{ tenant: "main", id: "a", seq: 0 }, { tenant: "main", id: "b", seq: 1 }]);
    assertEquals(memory.count(["g"]), 0);
    manifests.adopt(listed);
    await committer.commit({
      mutations: [],
      facts: { liveness: [{ tenant: "main", id: "a", live: false }] },
    });
    const left = await Array.fromAsync(memory.list(manifestsOf("one")), ({ key }) => key);
    assertEquals(left, [manifestKey("one", 1)]);
    assertEquals(await Array.fromAsync(memory.list(oldManifestsOf("one"))), []);
    await committer[Symbol.asyncDispose]();
  });
}
