/**
 * Simulates writers on a database whose commits fail, lose their responses and land late, while processes take over from each
 * other. What was acknowledged must be stored, what was refused must not, and nothing may be applied twice.
 */
import { assertEquals } from "@std/assert";
import { DomainError } from "../../src/model/errors.ts";
import type { Committer } from "../../src/store/committer.ts";
import { Chance } from "../crash/chance.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../support/fakes/faulty_store.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { quietCommitter } from "../support/fakes/quiet_committer.ts";

const SEEDS = 200;
const STEPS = 60;
/** Longer than a committer waits for a database that cannot be read. */
const SETTLE_MS = 70_000;

const FAULTS: readonly (readonly [number, Fault])[] = [
  [12, "none"],
  [2, "fail_before"],
  [3, "fail_after"],
  [4, "late"],
  [1, "unsent"],
];

class World {
  readonly #chance: Chance;
  readonly #clock = new FakeClock();
  readonly #store: FaultyStore;
  /** How often each entry was applied. */
  readonly #applied = new Map<string, number>();
  /** What the caller of each entry was told: "stored", or the code of the refusal; absent: nothing yet. */
  readonly #responses = new Map<string, string>();
  /** Of all processes: those that were replaced do not know it. */
  readonly #committers: Committer[] = [];
  #entries = 0;

  constructor(seed: number) {
    this.#chance = new Chance(seed);
    this.#store = new FaultyStore(this.#countingStore(), () => this.#chance.weighted(FAULTS));
    this.#store.landsLate = true;
  }

  /** Runs all steps; the broken promises. */
  async run(): Promise<string[]> {
    for (let step = 0; step < STEPS; step++) await this.#step();
    this.#store.plan = () => "none";
    this.#store.isUnreadable = false;
    await this.#clock.advance(SETTLE_MS);
    await this.#store.land();
    return Array.from({ length: this.#entries }, (_, n) => String(n)).filter((name) => !this.#isKept(name));
  }

  /** Text about an entry, for a failure. */
  describe(name: string): string {
    return `entry ${name}: ${this.#responses.get(name)}, applied ${this.#applied.get(name) ?? 0} times`;
  }

  #isKept(name: string): boolean {
    const times = this.#applied.get(name) ?? 0;
    const response = this.#responses.get(name);
    if (response === "outcome_unknown") return times <= 1;
    return response !== undefined && times === (response === "stored" ? 1 : 0);
  }

  async #step(): Promise<void> {
    const action = this.#chance.weighted([
      [10, () => this.#commit()],
      [4, () => this.#clock.advance(this.#chance.between(0, 1_500))],
      [3, () => this.#landOne()],
      [1, () => void (this.#store.isUnreadable = this.#chance.holds(0.5))],
      [1, () => this.#takeOver()],
    ]);
    if (this.#committers.length === 0) await this.#takeOver();
    await action();
  }

  #commit(): void {
    const committer = this.#chance.holds(0.8) ? this.#committers.at(-1) : this.#chance.pick(this.#committers);
    if (!committer) return;
    const name = String(this.#entries++);
    const mutation = { type: "set", key: ["k", name], value: new Uint8Array(1) } as const;
    const tell = (response: string) => this.#responses.set(name, response);
    const told = (error: unknown) => tell(error instanceof DomainError ? error.code : String(error));
    void committer.commit({ mutations: [mutation] }).then(() => tell("stored"), told);
  }

  async #landOne(): Promise<void> {
    const { late, inner } = this.#store;
    const [atomic] = late.splice(Math.floor(this.#chance.next() * late.length), 1);
    if (atomic) await inner.commit(atomic);
  }

  /** A process starts; it ends at once when it does not get the database. */
  async #takeOver(): Promise<void> {
    const committer = quietCommitter(this.#store, this.#clock);
    const hasStarted = await committer.start().then(() => true, () => false);
    if (hasStarted) this.#committers.push(committer);
  }

  #countingStore(): MemoryStore {
    const store = new MemoryStore(this.#clock);
    const commit = store.commit.bind(store);
    store.commit = async (atomic) => {
      const versionstamp = await commit(atomic);
      const keys = versionstamp === null ? [] : atomic.mutations.map(({ key }) => key);
      for (const [kind, name] of keys) {
        if (kind === "k") this.#applied.set(String(name), (this.#applied.get(String(name)) ?? 0) + 1);
      }
      return versionstamp;
    };
    return store;
  }
}

const first = Deno.env.get("FC_SEED") === "random" ? Math.floor(Math.random() * 1e9) : 1;

Deno.test("no acknowledged commit is lost, no refused one is stored, and none is applied twice", async () => {
  for (let seed = first; seed < first + SEEDS; seed++) {
    const world = new World(seed);
    const broken = await world.run();
    assertEquals(broken.map((name) => world.describe(name)), [], `seed ${seed}`);
  }
});
