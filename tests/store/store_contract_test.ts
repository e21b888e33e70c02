/** The contract of {@link Store}, checked for each store, and for stores whose database fails, is slow or loses connections. */
import { assertEquals, assertRejects } from "@std/assert";
import type { Key, Selector, Store } from "../../src/store/store.ts";
import { KvStore } from "../../src/store/kv_store.ts";
import { systemClock } from "../../src/base/time/clock.ts";
import { KvConnectStore } from "../../src/store/kv_connect/kv_connect_store.ts";
import { DatabaseProxy, type ProxyPlan } from "../support/servers/database_proxy.ts";
import { Denokv, DENOKV_TOKEN, denokvTest } from "../support/servers/denokv.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { withTempDir } from "../support/temp_dir.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";

const STORES: Readonly<Record<string, (directory: string) => Promise<Store>>> = {
  memory: () => Promise.resolve(new MemoryStore(new FakeClock())),
  faulty: () => Promise.resolve(new FaultyStore(new MemoryStore(new FakeClock()), () => "delay")),
  "Deno KV in memory": () => KvStore.open(":memory:"),
  "Deno KV in a file": (directory) => KvStore.open(`${directory}/contract.db`),
};

/** A watch does not pass through the proxy, which waits for the ends of responses. */
async function checkWatch(store: Store): Promise<void> {
  let called = Promise.withResolvers<void>();
  const end = store.watch(["a"], () => called.resolve());
  for (let n = 0; n < 3; n++) {
    called = Promise.withResolvers();
    await store.commit({ checks: [], mutations: [set(["a"], n)], messages: [] });
    await called.promise;
  }
  end();
  store.close();
}

function set(key: Key, byte: number) {
  return { type: "set", key, value: new Uint8Array([byte]) } as const;
}

async function keysOf(store: Store, selector: Selector, options = {}): Promise<Key[]> {
  const keys: Key[] = [];
  for await (const entry of store.list(selector, options)) keys.push(entry.key);
  return keys;
}

const RULES: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  "get() returns the stored value, and null for a missing key": async (store) => {
    const stamp = await store.commit({ checks: [], mutations: [set(["a"], 1)], messages: [] });
    const entry = await store.get(["a"]);
    assertEquals([...entry?.value ?? []], [1]);
    assertEquals(entry?.versionstamp, stamp);
    assertEquals(await store.get(["b"]), null);
  },
  "getMany() keeps the order of more keys than one database call accepts": async (store) => {
    const keys = Array.from({ length: 25 }, (_, n) => ["k", n]);
    await store.commit({ checks: [], mutations: keys.map((key, n) => set(key, n)), messages: [] });
    const entries = await store.getMany([...keys, ["missing"]]);
    assertEquals(entries.map((entry) => entry?.value[0]), [...keys.map((_, n) => n), undefined]);
  },
  "commit() with a failed check changes nothing": async (store) => {
    await store.commit({ checks: [], mutations: [set(["a"], 1)], messages: [] });
    const checks = [{ key: ["a"], versionstamp: null }];
    assertEquals(await store.commit({ checks, mutations: [set(["b"], 1)], messages: [] }), null);
    assertEquals(await store.get(["b"]), null);
  },
  "commit() with a passed check applies sets and deletes": async (store) => {
    const stamp = await store.commit({
      checks: [{ key: ["a"], versionstamp: null }],
      mutations: [set(["a"], 1)],
      messages: [],
    });
    const checks = [{ key: ["a"], versionstamp: stamp }];
    const mutations = [{ type: "delete", key: ["a"] } as const, set(["b"], 2)];
    assertEquals(typeof await store.commit({ checks, mutations, messages: [] }), "string");
    assertEquals(await store.get(["a"]), null);
    assertEquals((await store.get(["b"]))?.value[0], 2);
  },
  "versionstamps rise": async (store) => {
    const stamps = [];
    for (let n = 0; n < 20; n++) {
      stamps.push(await store.commit({ checks: [], mutations: [set(["a"], n)], messages: [] }));
    }
    assertEquals(stamps, [...stamps].sort());
  },
  "list() orders parts by type and value, and excludes the prefix itself": async (store) => {
    const keys: Key[] = [["p", "B"], ["p", 10], ["p", 9], ["p", "a"], ["p"], ["p", "a", "x"], ["p", true], [
      "p",
      "ä",
    ], ["q"]];
    await store.commit({ checks: [], mutations: keys.map((key) => set(key, 0)), messages: [] });
    const ordered = [["p", "B"], ["p", "a"], ["p", "a", "x"], ["p", "ä"], ["p", 9], ["p", 10], ["p", true]];
    assertEquals(await keysOf(store, { prefix: ["p"] }), ordered);
    assertEquals(await keysOf(store, { prefix: ["p"] }, { reverse: true, limit: 2 }), [["p", true], [
      "p",
      10,
    ]]);
    assertEquals(await keysOf(store, { start: ["p", "a"], end: ["p", 10] }), ordered.slice(1, 5));
  },
  "list() reads more rows than one database page": async (store) => {
    for (let page = 0; page < 3; page++) {
      const mutations = Array.from({ length: 500 }, (_, n) => set(["n", page * 500 + n], 0));
      await store.commit({ checks: [], mutations, messages: [] });
    }
    assertEquals((await keysOf(store, { prefix: ["n"] })).length, 1500);
  },
  "keys above the size limit do not exist": async (store) => {
    await store.commit({ checks: [], mutations: [set(["a"], 1)], messages: [] });
    for (const part of ["x".repeat(3_000), "\u65e5".repeat(700), "\0".repeat(1_100), new Uint8Array(2_100)]) {
      assertEquals(await store.get(["a", part]), null);
      const found = await store.getMany([["a"], ["a", part], ["b"]]);
      assertEquals(found.map((entry) => entry?.value[0]), [1, undefined, undefined]);
      assertEquals(await keysOf(store, { prefix: ["a", part] }), []);
    }
    await store.commit({ checks: [], mutations: [set(["x".repeat(2_000), 1], 1)], messages: [] });
    assertEquals((await store.get(["x".repeat(2_000), 1]))?.value[0], 1);
    assertEquals((await keysOf(store, { prefix: ["x".repeat(2_000)] })).length, 1);
  },
  "values are copies": async (store) => {
    const value = new Uint8Array([1]);
    await store.commit({ checks: [], mutations: [{ type: "set", key: ["a"], value }], messages: [] });
    value[0] = 9;
    assertEquals((await store.get(["a"]))?.value[0], 1);
  },
};

for (const [name, open] of Object.entries(STORES)) {
  for (const [rule, check] of Object.entries(RULES)) {
    Deno.test(`store (${name}): ${rule}`, async () => {
      const directory = await Deno.makeTempDir();
      const store = await open(directory);
      try {
        await check(store);
      } finally {
        store.close();
        await Deno.remove(directory, { recursive: true });
      }
    });
  }
}

for (const [name, open] of Object.entries(STORES)) {
  Deno.test(`store (${name}): watch() calls after each change until it is ended`, () =>
    withTempDir(async (directory) => await checkWatch(await open(directory))));
}

denokvTest(
  "store (KV Connect): watch() calls after each change, and after the server has restarted",
  () =>
    withTempDir(async (directory) => {
      await using server = await Denokv.start(`${directory}/contract.db`);
      const store = await KvConnectStore.open({ url: server.url, token: DENOKV_TOKEN, clock: systemClock });
      let called = Promise.withResolvers<void>();
      const end = store.watch(["b"], () => called.resolve());
      await called.promise;
      await server.kill();
      called = Promise.withResolvers();
      await server.restart();
      await called.promise;
      end();
      await checkWatch(store);
    }),
);

/** What the network does to the requests of a store that has a server. */
const NETWORKS: Readonly<Record<string, ProxyPlan>> = {
  "KV Connect": () => "none",
  "KV Connect, slow": () => "slow",
  "KV Connect, each second read is cut": (kind, count) => kind === "read" && count % 2 === 1 ? "cut" : "none",
};

for (const [name, plan] of Object.entries(NETWORKS)) {
  for (const [rule, check] of Object.entries(RULES)) {
    denokvTest(`store (${name}): ${rule}`, () =>
      withTempDir(async (directory) => {
        await using server = await Denokv.start(`${directory}/contract.db`);
        await using proxy = await DatabaseProxy.start(server.url, plan);
        const store = await KvConnectStore.open({ url: proxy.url, token: DENOKV_TOKEN, clock: systemClock });
        try {
          await check(store);
        } finally {
          store.close();
        }
      }));
  }
}

Deno.test("store (memory): a closed store refuses", async () => {
  const store = new MemoryStore(new FakeClock());
  store.close();
  await assertRejects(async () => await store.get(["a"]), Error, "closed");
});

Deno.test("store (Deno KV): messages are delivered", async () => {
  const store = await KvStore.open(":memory:");
  const received = Promise.withResolvers<string>();
  const listening = store.listenQueue((payload) => Promise.resolve(received.resolve(payload)));
  await store.commit({ checks: [], mutations: [], messages: [{ payload: "sweep", delayMs: 0 }] });
  assertEquals(await received.promise, "sweep");
  store.close();
  await listening;
});

Deno.test("KvStore.get() gives each of many reads of a turn its own value, null without one", async () => {
  const store = await KvStore.open(":memory:");
  const long = ["k".repeat(3_000)];
  const mutations = Array.from({ length: 25 }, (_, n) => set(["a", n], n));
  await store.commit({ checks: [], mutations, messages: [] });
  const keys = [...mutations.map(({ key }) => key), ["b"], long];
  const entries = await Promise.all(keys.map((key) => store.get(key)));
  assertEquals(entries.map((entry) => entry?.value[0]), [...mutations.keys(), undefined, undefined]);
  store.close();
});

Deno.test("KvStore.get() reads keys of the same turn together", async () => {
  const store = await KvStore.open(":memory:");
  const { get, getMany } = Deno.Kv.prototype;
  const calls: string[] = [];
  const counted = {
    get(this: Deno.Kv, key: Deno.KvKey) {
      calls.push("get");
      return get.call(this, key);
    },
    getMany(this: Deno.Kv, keys: readonly Deno.KvKey[]) {
      calls.push(`getMany ${keys.length}`);
      return getMany.call(this, keys);
    },
  };
  Object.assign(Deno.Kv.prototype, counted);
  try {
    await Promise.all(Array.from({ length: 21 }, (_, n) => store.get(["a", n])));
    assertEquals(calls, ["getMany 10", "getMany 10", "get"]);
  } finally {
    Object.assign(Deno.Kv.prototype, { get, getMany });
    store.close();
  }
});
