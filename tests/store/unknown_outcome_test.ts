/** What the committer makes of commits that get no response: on a store in memory, and on denokv behind a bad network. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { systemClock } from "../../src/base/time/clock.ts";
import { silentLogger } from "../../src/base/log.ts";
import { DomainError } from "../../src/model/errors.ts";
import { Committer, type Entry } from "../../src/store/committer.ts";
import { KvConnectStore } from "../../src/store/kv_connect/kv_connect_store.ts";
import type { Store } from "../../src/store/store.ts";
import { DatabaseProxy } from "../support/servers/database_proxy.ts";
import { Denokv, DENOKV_TOKEN, denokvTest } from "../support/servers/denokv.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../support/fakes/faulty_store.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { quietCommitter } from "../support/fakes/quiet_committer.ts";
import { withTempDir } from "../support/temp_dir.ts";

/** The database of a case. */
interface Database {
  readonly store: Store;
  /** The faults of the next commits, the first one first. */
  readonly faults: Fault[];
  /** Writes what is late. */
  readonly land: () => Promise<void>;
}

interface Case extends Database {
  readonly committer: Committer;
  readonly fatal: string[];
}

function entry(name: string): Entry {
  return { mutations: [{ type: "set", key: ["k", name], value: new Uint8Array(10) }] };
}

async function codeOf(committing: Promise<void>): Promise<string> {
  return (await assertRejects(() => committing, DomainError)).code;
}

async function isStored({ store }: Case, name: string): Promise<boolean> {
  return await store.get(["k", name]) !== null;
}

const CASES: Readonly<Record<string, (it: Case) => Promise<void>>> = {
  "a commit whose response is lost succeeds": async (it) => {
    it.faults.push("fail_after");
    await it.committer.commit(entry("a"));
    await it.committer.commit(entry("b"));
    assert(await isStored(it, "a"));
  },
  "a commit that does not arrive is repeated": async (it) => {
    it.faults.push("fail_before");
    await it.committer.commit(entry("a"));
    assertEquals(it.committer.isReadOnly, false);
  },
  "a commit is refused when it does not arrive twice, and what is late of it never lands": async (it) => {
    it.faults.push("late", "none", "late", "none");
    assertEquals(await codeOf(it.committer.commit(entry("a"))), "unavailable");
    await it.land();
    assertEquals(await isStored(it, "a"), false);
    assertEquals(it.fatal, []);
  },
  "a commit that lands late is not applied twice when it is repeated": async (it) => {
    it.faults.push("late");
    await it.committer.commit(entry("a"));
    const stamp = (await it.store.get(["k", "a"]))?.versionstamp;
    await it.land();
    assertEquals((await it.store.get(["k", "a"]))?.versionstamp, stamp);
    await it.committer.commit(entry("b"));
  },
  "an empty commit whose response is lost is recognised": async (it) => {
    it.faults.push("late", "fail_after");
    await it.committer.commit(entry("a"));
    await it.land();
    await it.committer.commit(entry("b"));
    assert(await isStored(it, "a"));
    assertEquals(it.fatal, []);
  },
  "a takeover whose response is lost succeeds": async (it) => {
    await using second = quietCommitter(it.store, systemClock);
    it.faults.push("fail_after");
    await second.start();
    await second.commit(entry("b"));
    assertEquals(await codeOf(it.committer.commit(entry("a"))), "unavailable");
    assertEquals(it.fatal, ["another process has taken over the database"]);
  },
};

async function run(database: Database, check: (it: Case) => Promise<void>): Promise<void> {
  const fatal: string[] = [];
  const committer = quietCommitter(database.store, systemClock, { onFatal: (reason) => fatal.push(reason) });
  await committer.start();
  await check({ ...database, committer, fatal });
  await committer[Symbol.asyncDispose]();
}

for (const [name, check] of Object.entries(CASES)) {
  Deno.test(`committer (memory): ${name}`, async () => {
    const faults: Fault[] = [];
    const store = new FaultyStore(new MemoryStore(new FakeClock()), () => faults.shift() ?? "none");
    store.landsLate = true;
    await run({ store, faults, land: () => store.land() }, check);
  });

  denokvTest(`committer (KV Connect): ${name}`, () =>
    withTempDir(async (directory) => {
      const faults: Fault[] = [];
      const proxyFaults = { fail_before: "cut", fail_after: "swallow", late: "late" } as const;
      await using server = await Denokv.start(`${directory}/unknown.db`);
      await using proxy = await DatabaseProxy.start(server.url, (kind) => {
        const fault = kind === "write" ? faults.shift() ?? "none" : "none";
        return fault in proxyFaults ? proxyFaults[fault as keyof typeof proxyFaults] : "none";
      });
      const store = await KvConnectStore.open({ url: proxy.url, token: DENOKV_TOKEN, clock: systemClock });
      await run({ store, faults, land: () => proxy.land() }, check);
      store.close();
    }));
}

/** A committer on a fake clock. */
function setUp() {
  const clock = new FakeClock();
  const faults: Fault[] = [];
  const store = new FaultyStore(new MemoryStore(clock), () => faults.shift() ?? "none");
  store.landsLate = true;
  const open = async () => {
    const fatal: string[] = [];
    const onFatal = (reason: string) => void fatal.push(reason);
    const committer = new Committer({ store, instance: "one", clock, logger: silentLogger(clock), onFatal });
    await committer.start();
    return { committer, fatal };
  };
  return { clock, faults, store, open };
}

Deno.test("a commit gets a second at first, and all the time when it is repeated and while the database is slow", async () => {
  const { clock, faults, store, open } = setUp();
  const { committer } = await open();
  const limits: (number | undefined)[] = [];
  let slowMs = 0;
  store.plan = (_, { timeoutMs, mutations }) => {
    // The empty commit, which settles what became of the one before, has only the chain key.
    if (mutations.length > 1) limits.push(timeoutMs);
    clock.jump(slowMs);
    return faults.shift() ?? "none";
  };
  faults.push("late");
  await committer.commit(entry("a"));
  assertEquals(limits.splice(0), [1_000, undefined]);
  await committer.commit(entry("b"));
  slowMs = 1_001;
  await committer.commit(entry("c"));
  await committer.commit(entry("d"));
  slowMs = 0;
  await committer.commit(entry("e"));
  await committer.commit(entry("f"));
  assertEquals(limits, [1_000, 1_000, undefined, undefined, 1_000]);
});

denokvTest(
  "a commit that has no response after a second is settled and repeated",
  () =>
    withTempDir(async (directory) => {
      const clock = new FakeClock();
      const sent = Promise.withResolvers<void>();
      await using server = await Denokv.start(`${directory}/hanging.db`);
      await using proxy = await DatabaseProxy.start(server.url);
      const store = await KvConnectStore.open({ url: proxy.url, token: DENOKV_TOKEN, clock });
      const committer = quietCommitter(store, clock);
      await committer.start();
      proxy.plan = (kind) => {
        if (kind !== "write") return "none";
        proxy.plan = () => "none";
        sent.resolve();
        return "hang";
      };
      const committed = committer.commit(entry("a"));
      await sent.promise;
      await clock.advance(1_000);
      await committed;
      const stamp = (await store.get(["k", "a"]))?.versionstamp;
      await proxy.land();
      assertEquals((await store.get(["k", "a"]))?.versionstamp, stamp);
      await committer.commit(entry("b"));
      store.close();
    }),
);

Deno.test("a commit that was never sent is refused at once, and writes are accepted when the database is back", async () => {
  const { clock, faults, open } = setUp();
  const { committer, fatal } = await open();
  faults.push("unsent", ...Array.from({ length: 300 }, () => "unsent" as const));
  assertEquals(await codeOf(committer.commit(entry("a"))), "unavailable");
  await clock.advance(299_000);
  assertEquals([committer.problem?.reason, fatal], ["the database cannot be reached", []]);
  await clock.advance(3_000);
  await committer.commit(entry("b"));
});

Deno.test("a commit whose outcome stays unknown is refused as such, and what waits as unavailable", async () => {
  const { clock, faults, store, open } = setUp();
  const { committer, fatal } = await open();
  faults.push("late");
  store.isUnreadable = true;
  const begun = codeOf(committer.commit(entry("a")));
  await clock.advance(0);
  assertEquals(await codeOf(committer.commit(entry("b"))), "unavailable");
  await clock.advance(61_000);
  assertEquals(await begun, "outcome_unknown");
  assertEquals(await codeOf(committer.commit(entry("c"))), "unavailable");
  assertEquals(fatal.length, 1);
});

Deno.test("a commit before a takeover succeeds if it was written, and the writer stops", async () => {
  const { faults, store, open } = setUp();
  const first = await open();
  // The group is written and its response lost; then another process takes over before the chain is read.
  const commit = store.inner.commit.bind(store.inner);
  faults.push("fail_after");
  store.inner.commit = async (atomic) => {
    store.inner.commit = commit;
    const versionstamp = await commit(atomic);
    await open();
    return versionstamp;
  };
  await first.committer.commit(entry("a"));
  assertEquals(first.fatal, ["another process has taken over the database"]);
  assertEquals(await codeOf(first.committer.commit(entry("b"))), "unavailable");
});

Deno.test("a commit before two takeovers has an unknown outcome", async () => {
  const { faults, store, open } = setUp();
  const first = await open();
  await open();
  await open();
  faults.push("late");
  assertEquals(await codeOf(first.committer.commit(entry("a"))), "outcome_unknown");
  await store.land();
  assertEquals(await store.get(["k", "a"]), null);
});
