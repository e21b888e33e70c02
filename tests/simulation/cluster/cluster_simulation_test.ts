import { assert, assertEquals } from "@std/assert";
import type { Check } from "../../../src/store/store.ts";
import type { Clock } from "../../../src/base/time/clock.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import { simulateClusters } from "./series.ts";
import { type Bugs, World } from "./world.ts";

/** Some 40 ms each; `deno task simulate:cluster` takes others, and more. */
const SEEDS = 15;

Deno.test("simulateClusters(): one leader at a time, requests and ends of jobs once, nothing acknowledged is lost", async () => {
  const { broken, events } = await simulateClusters({ seeds: SEEDS, from: 1 });
  assertEquals(broken, []);
  const expected = ["leader", "POST 200", "POST 503", "POST 504", "GET 200", "freeze", "kill", "stop"];
  for (const event of [...expected, "late landing", "withdrawal", "attempt lost", "attempt kept"]) {
    assert((events.get(event) ?? 0) >= SEEDS / 5, `${event}: ${events.get(event)}`);
  }
});

Deno.test("World.run() of one seed is the same each time", async () => {
  const runs = [new World(7), new World(7)];
  for (const world of runs) await world.run();
  assertEquals(runs[0]?.events, runs[1]?.events);
});

/** A database that does not look at some checks. */
class CarelessStore extends MemoryStore {
  readonly #ignores: (check: Check) => boolean;

  constructor(clock: Clock, ignores: (check: Check) => boolean) {
    super(clock);
    this.#ignores = ignores;
  }

  override commit(atomic: Parameters<MemoryStore["commit"]>[0]): Promise<string | null> {
    return super.commit({ ...atomic, checks: atomic.checks.filter((check) => !this.#ignores(check)) });
  }
}

function ignoring(...prefix: readonly string[]): Bugs {
  const ignores = ({ key }: Check) => prefix.every((part, at) => key[at] === part);
  return { database: (clock) => new CarelessStore(clock, ignores) };
}

/** A clock that runs three times too fast. */
function fast(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonicMs: () => 3 * clock.monotonicMs(),
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
  };
}

/** What is found of each bug. */
const BUGS: readonly (readonly [string, Bugs, RegExp])[] = [
  ["commits do not check the chain key", ignoring("~chain"), /with status \d+ is stored/],
  ["a withdrawal does not check the claim", ignoring("mb", "c"), /is handled again$/],
  ["a change is acknowledged before it is committed", { acknowledgesEarly: true }, /200 is stored 0 times/],
  ["a follower takes the lease before its end", { watchClock: fast }, /act$/],
];
/** Each bug shows within a few of them. */
const MAX_SEEDS = 60;

for (const [name, bugs, found] of BUGS) {
  Deno.test(`World.run() finds that ${name}`, async () => {
    let broken: readonly string[] = [];
    for (let seed = 1; seed <= MAX_SEEDS && broken.length === 0; seed++) {
      broken = await new World(seed, bugs).run();
    }
    assert(broken.some((line) => found.test(line)), `found: ${broken.join("; ")}`);
  });
}
