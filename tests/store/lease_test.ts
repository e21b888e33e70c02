/** The lease: who may take it when, how long its holder may act, and what lost and late responses change. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Clock } from "../../src/base/time/clock.ts";
import { DomainError } from "../../src/model/errors.ts";
import type { Committer } from "../../src/store/committer.ts";
import { META_KEY } from "../../src/store/keys.ts";
import { HeldLease, type LeaseHolder, LeaseWatch } from "../../src/store/lease.ts";
import { checkData } from "../../src/store/meta.ts";
import type { Store } from "../../src/store/store.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../support/fakes/faulty_store.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { quietCommitter } from "../support/fakes/quiet_committer.ts";

const TTL_MS = 5_000;
/** How long a candidate waits after it first saw a version of the lease. */
const WAIT_MS = TTL_MS + 1_000;
/** How long a holder acts after it sent the stored renewal. */
const ACTS_MS = TTL_MS - 1_000;
const KEY = "0011223344556677";

function holder(name: string, optionsHash = "same"): LeaseHolder {
  return { holder: name, version: "1.0.0", optionsHash, ttlMs: TTL_MS };
}

/** A process with its own view of the lease. */
class Process {
  readonly watch: LeaseWatch;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #self: LeaseHolder;

  constructor(store: Store, clock: Clock, self: LeaseHolder) {
    this.#store = store;
    this.#clock = clock;
    this.#self = self;
    this.watch = new LeaseWatch(store, clock);
  }

  async isFree(): Promise<boolean> {
    await this.watch.read();
    return this.watch.isFree(this.#self);
  }

  /** Takes the lease, whether it is free or not. @throws DomainError conflict */
  async take(): Promise<
    { readonly lease: HeldLease; readonly committer: Committer; readonly latest?: number }
  > {
    await this.watch.read();
    const metaVersionstamp = await checkData(this.#store, KEY);
    let latest: number | undefined;
    const lease = new HeldLease({
      store: this.#store,
      clock: this.#clock,
      holder: this.#self,
      seen: this.watch,
      onTaken: (instant) => latest = instant,
    });
    lease.prepare(metaVersionstamp);
    const committer = quietCommitter(this.#store, this.#clock, { lease });
    await committer.start();
    return { lease, committer, latest };
  }
}

function world() {
  const clock = new FakeClock();
  const store = new FaultyStore(new MemoryStore(clock));
  store.landsLate = true;
  const of = (name: string, optionsHash?: string) => new Process(store, clock, holder(name, optionsHash));
  return { clock, store, of };
}

Deno.test("LeaseWatch.isFree() is true at once where there is no lease, and after one that was given back", async () => {
  const { of } = world();
  const first = of("first");
  const second = of("second");
  assert(await first.isFree());
  const { committer } = await first.take();
  assert(!await second.isFree());
  await committer[Symbol.asyncDispose]();
  assert(await second.isFree());
});

Deno.test("LeaseWatch.isFree() of a lease that is handed over: at once for the heir, after a second for others", async () => {
  const { clock, of } = world();
  const { lease, committer } = await of("first").take();
  lease.leaveTo("second");
  await committer[Symbol.asyncDispose]();
  const [first, second, third] = [of("first"), of("second"), of("third")] as const;
  assertEquals(await Promise.all([first, second, third].map((each) => each.isFree())), [false, true, false]);
  assertEquals([third.watch.current, third.watch.isHandedOver], [undefined, true]);
  assert(!await of("second", "different").isFree());
  clock.jump(999);
  assert(!await third.isFree());
  clock.jump(1);
  assert(await third.isFree());
  await second.take();
  assertEquals([await third.isFree(), third.watch.isHandedOver], [false, false]);
});

Deno.test("HeldLease: a take-over finds the latest instant at which an earlier holder has written", async () => {
  const { clock, of } = world();
  assertEquals((await of("first").take()).latest, undefined);
  const ahead = await of("second").take();
  clock.jump(60_000);
  await ahead.committer.commit({ mutations: [] });
  const latest = clock.now();
  clock.jump(-40_000);
  assertEquals((await of("third").take()).latest, latest);
  assertEquals((await of("fourth").take()).latest, latest);
});

Deno.test("LeaseWatch.isFree() is true a second after the lease would end, counted from when it was first seen", async () => {
  const { clock, of } = world();
  await of("first").take();
  const second = of("second");
  clock.jump(60_000);
  assert(!await second.isFree());
  clock.jump(WAIT_MS - 1);
  assert(!await second.isFree());
  clock.jump(1);
  assert(await second.isFree());
});

Deno.test("LeaseWatch.isFree() begins to wait again with each renewal", async () => {
  const { clock, of } = world();
  const { lease } = await of("first").take();
  const second = of("second");
  assert(!await second.isFree());
  clock.jump(3_000);
  assert(await lease.renew());
  assert(!await second.isFree());
  clock.jump(WAIT_MS - 1);
  assert(!await second.isFree());
});

Deno.test("LeaseWatch.isFree() lets a process with other options wait longer", async () => {
  const { clock, of } = world();
  await of("first").take();
  const other = of("other", "different");
  assert(!await other.isFree());
  clock.jump(3 * WAIT_MS - 1);
  assert(!await other.isFree());
  clock.jump(1);
  assert(await other.isFree());
});

Deno.test("LeaseWatch.current is a lease that is being renewed, not one that a dead process left", async () => {
  const { clock, of } = world();
  const { lease } = await of("first").take();
  const { watch } = of("second");
  await watch.read();
  assertEquals(watch.current, undefined);
  await lease.renew();
  await watch.read();
  assertEquals(watch.current?.holder, "first");
  clock.jump(TTL_MS);
  assertEquals(watch.current, undefined);
});

Deno.test("HeldLease.leftMs counts from the moment at which the stored renewal was sent", async () => {
  const { clock, store, of } = world();
  const { lease } = await of("first").take();
  assertEquals(lease.leftMs, ACTS_MS);
  clock.jump(1_000);
  store.plan = () => {
    clock.jump(2_000);
    return "none";
  };
  assert(await lease.renew());
  assertEquals(lease.leftMs, ACTS_MS - 2_000);
});

Deno.test("HeldLease.leftMs counts the larger of both clocks: one stands still while the machine is suspended", async () => {
  const clock = new FakeClock();
  const skew = { wallMs: 0, monotonicMs: 0 };
  const skewed: Clock = {
    now: () => clock.now() + skew.wallMs,
    monotonicMs: () => clock.monotonicMs() + skew.monotonicMs,
    setTimer: (ms, callback) => clock.setTimer(ms, callback),
  };
  const { lease } = await new Process(new MemoryStore(clock), skewed, holder("first")).take();
  skew.wallMs = ACTS_MS - 1;
  assertEquals(lease.leftMs, 1);
  Object.assign(skew, { wallMs: -60_000, monotonicMs: ACTS_MS });
  assertEquals(lease.leftMs, 0);
});

Deno.test("HeldLease.renew() recognises its own renewal after the response was lost", async () => {
  const { clock, store, of } = world();
  const { lease } = await of("first").take();
  clock.jump(1_000);
  store.plan = () => "fail_after";
  assert(await lease.renew());
  assertEquals(lease.leftMs, ACTS_MS - 1_000);
  clock.jump(1_000);
  store.plan = () => "none";
  assert(await lease.renew());
  assertEquals(lease.leftMs, ACTS_MS - 1_000);
  assert(await lease.renew());
  assertEquals(lease.leftMs, ACTS_MS);
});

Deno.test("HeldLease.renew() is false after a take-over, and a late renewal changes nothing", async () => {
  const { clock, store, of } = world();
  const { lease, committer } = await of("first").take();
  store.plan = () => "late";
  assert(await lease.renew());
  store.plan = () => "none";
  clock.jump(ACTS_MS);
  assertEquals(lease.leftMs, 0);
  const next = await of("second").take();
  await store.land();
  assert(!await lease.renew());
  assert(await next.lease.renew());
  const refused = await assertRejects(() => committer.commit({ mutations: [] }), DomainError);
  assertEquals(refused.code, "unavailable");
});

Deno.test("Committer.start() with a lease succeeds when the response of the take-over is lost", async () => {
  const { store, of } = world();
  const first = of("first");
  await first.isFree();
  await checkData(store, KEY);
  store.plan = () => "fail_after";
  const { lease, committer } = await first.take();
  store.plan = () => "none";
  assert(await lease.renew());
  await committer.commit({ mutations: [] });
});

Deno.test("Committer.start() refuses a lease that another process has taken meanwhile", async () => {
  const { store, of } = world();
  const first = of("first");
  const second = of("second");
  let other: Promise<unknown> | undefined;
  await checkData(store, KEY);
  store.plan = () => {
    store.plan = () => "none";
    other = second.take();
    return "delay";
  };
  const outcomes = await Promise.allSettled([first.take()]);
  const outcomeOfOther = await Promise.allSettled([other]);
  assertEquals([...outcomes, ...outcomeOfOther].filter(({ status }) => status === "fulfilled").length, 1);
});

Deno.test("Committer.start() refuses a database whose format another version has changed since it was checked", async () => {
  const { store, of } = world();
  await checkData(store, KEY);
  store.plan = (_, { checks }) => {
    if (checks.length < 3) return "none";
    store.plan = () => "none";
    const value = new TextEncoder().encode('\x01{"format":9,"minReader":9,"key":""}');
    void store.inner.commit({
      checks: [],
      mutations: [{ type: "set", key: META_KEY, value }],
      messages: [],
    });
    return "delay";
  };
  assertEquals((await assertRejects(() => of("first").take(), DomainError)).code, "conflict");
});

Deno.test("Committer.followsStop is true for a process that takes its own lease again", async () => {
  const { of } = world();
  const first = of("first");
  await first.take();
  const again = await first.take();
  assert(again.committer.followsStop);
  assert(!(await of("second").take()).committer.followsStop);
});

for (const fault of ["fail_before", "fail_after", "late", "unsent"] as const) {
  Deno.test(`a lease is given back although the first try to do so is disturbed: ${fault}`, async () => {
    const { store, of } = world();
    const { committer } = await of("first").take();
    const plan: Fault[] = [fault];
    store.plan = () => plan.shift() ?? "none";
    await committer[Symbol.asyncDispose]();
    const second = of("second");
    assert(await second.isFree());
    const next = await second.take();
    await store.land();
    assert(await next.lease.renew());
    await next.committer.commit({ mutations: [] });
    await next.committer[Symbol.asyncDispose]();
  });
}

Deno.test("a lease that was not given back in its time is left as it is", async () => {
  const { clock, store, of } = world();
  const { committer } = await of("first").take();
  store.plan = () => {
    clock.jump(ACTS_MS);
    return "fail_before";
  };
  await committer[Symbol.asyncDispose]();
  assert(!await of("second").isFree());
});
