/**
 * Simulates processes that take the lease from each other on a database whose commits fail, lose their responses and land late,
 * while machines are suspended. At no time may two of them act, and what one acknowledged while it acted must be stored.
 */
import { assertEquals } from "@std/assert";
import type { Clock } from "../../src/base/time/clock.ts";
import type { Committer } from "../../src/store/committer.ts";
import { HeldLease, type LeaseHolder, LeaseWatch } from "../../src/store/lease.ts";
import { checkData } from "../../src/store/meta.ts";
import { Chance } from "../crash/chance.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../support/fakes/faulty_store.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { quietCommitter } from "../support/fakes/quiet_committer.ts";

const SEEDS = 100;
const STEPS = 120;
const PROCESSES = 3;
const FAULTS: readonly (readonly [number, Fault])[] = [
  [14, "none"],
  [2, "fail_before"],
  [3, "fail_after"],
  [3, "late"],
  [1, "unsent"],
  [2, "delay"],
];

/** A process whose monotonic clock stands still while its machine is suspended. */
class Process {
  suspendedMs = 0;
  readonly watch: LeaseWatch;
  readonly #self: LeaseHolder;
  readonly #clock: Clock;
  readonly #store: FaultyStore;
  #term: { readonly lease: HeldLease; readonly committer: Committer } | undefined;

  constructor(name: string, store: FaultyStore, clock: FakeClock) {
    this.#store = store;
    this.#clock = {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs() - this.suspendedMs,
      setTimer: (ms, callback) => clock.setTimer(ms, callback),
    };
    this.#self = { holder: name, version: "1.0.0", optionsHash: "", ttlMs: 5_000 };
    this.watch = new LeaseWatch(store, this.#clock);
  }

  get acts(): boolean {
    return (this.#term?.lease.leftMs ?? 0) > 0;
  }

  /** Looks at the lease, or renews it. */
  async step(): Promise<void> {
    if (this.#term && !this.acts) this.#term = undefined;
    if (this.#term) return void await this.#term.lease.renew();
    await this.watch.read();
    if (!this.watch.isFree(this.#self)) return;
    const lease = new HeldLease({
      store: this.#store,
      clock: this.#clock,
      holder: this.#self,
      seen: this.watch,
      onTaken: () => {},
    });
    lease.prepare(await checkData(this.#store, "key"));
    const committer = quietCommitter(this.#store, this.#clock, { lease });
    await committer.start();
    this.#term = { lease, committer };
  }

  /** Writes a key; true when it was acknowledged while the process acted. */
  async write(name: string): Promise<boolean> {
    if (!this.#term) return false;
    await this.#term.committer.commit({
      mutations: [{ type: "set", key: ["written", name], value: new Uint8Array() }],
    });
    return this.acts;
  }
}

async function run(seed: number): Promise<string[]> {
  const chance = new Chance(seed);
  const clock = new FakeClock();
  const memory = new MemoryStore(clock);
  const store = new FaultyStore(memory, () => chance.weighted(FAULTS));
  store.landsLate = true;
  const processes = ["a", "b", "c"].slice(0, PROCESSES).map((name) => new Process(name, store, clock));
  const acknowledged: string[] = [];
  const broken: string[] = [];
  for (let step = 0; step < STEPS; step++) {
    const process = chance.pick(processes) as Process;
    const name = String(step);
    await chance.weighted<() => unknown>([
      [10, () => process.step().catch(() => undefined)],
      [
        5,
        () => void process.write(name).then((isTold) => isTold && acknowledged.push(name), () => undefined),
      ],
      [6, () => clock.advance(chance.between(0, 1_500))],
      [1, () => clock.advance(6_000)],
      [1, () => {
        const ms = chance.between(0, 10_000);
        process.suspendedMs += ms;
        return clock.advance(ms);
      }],
      [3, () => store.land()],
    ])();
    const acting = processes.filter(({ acts }) => acts).length;
    if (acting > 1) broken.push(`seed ${seed}, step ${step}: ${acting} processes act`);
  }
  store.plan = () => "none";
  await clock.advance(70_000);
  const stored = await Promise.all(acknowledged.map((name) => memory.get(["written", name])));
  const lost = acknowledged.filter((_, index) => !stored[index]);
  return [...broken, ...lost.map((name) => `seed ${seed}: write ${name} is lost`)];
}

Deno.test("HeldLease: of several processes at most one acts, and what it acknowledges is stored", async () => {
  const broken: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) broken.push(...await run(seed));
  assertEquals(broken, []);
});
