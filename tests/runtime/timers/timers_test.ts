/** Timers: fired once when due, whatever lies beyond the horizon, and again when the database refused. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { silentLogger } from "../../../src/base/log.ts";
import { type DueTimer, TimerHeap } from "../../../src/runtime/timers/timer_heap.ts";
import { Timers } from "../../../src/runtime/timers/timers.ts";
import { timerKey } from "../../../src/store/keys.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import { FAKE_START, FakeClock } from "../../support/fakes/fake_clock.ts";

function timer(delayMs: number, executionId = `x${delayMs}`): DueTimer {
  return { dueAt: FAKE_START + delayMs, tenant: "main", executionId, name: "start" };
}

/** Timers over a store that holds `stored`; fired ones are removed as the executor does. */
async function setUp(stored: readonly DueTimer[], refuse: (attempt: number) => boolean = () => false) {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const fired: string[] = [];
  let attempts = 0;
  const change = async (type: "set" | "delete", { dueAt, tenant, executionId, name }: DueTimer) => {
    const mutation = { type, key: timerKey(dueAt, tenant, executionId, name), value: new Uint8Array([1]) };
    await store.commit({ checks: [], mutations: [mutation], messages: [] });
  };
  for (const item of stored) await change("set", item);
  const timers = new Timers({
    store,
    clock,
    logger: silentLogger(clock),
    fire: async (due) => {
      if (refuse(++attempts)) throw new Error("refused");
      await change("delete", due);
      fired.push(`${due.executionId} at ${clock.now() - FAKE_START}`);
    },
  });
  timers.start();
  return { clock, timers, fired, add: async (due: DueTimer) => (await change("set", due), timers.add(due)) };
}

Deno.test("Timers fires stored timers in order, those beyond the horizon too", async () => {
  const { clock, timers, fired } = await setUp([
    timer(200_000),
    timer(10),
    timer(59_999),
    timer(60_000),
    timer(-5),
  ]);
  await clock.advance(300_000);
  assertEquals(fired, ["x-5 at 0", "x10 at 10", "x59999 at 59999", "x60000 at 60000", "x200000 at 200000"]);
  await timers.stop();
});

Deno.test("Timers.add() fires timers stored later, within the horizon and beyond", async () => {
  const { clock, timers, fired, add } = await setUp([]);
  await clock.advance(1_000);
  await add(timer(5_000));
  await add(timer(500_000));
  await clock.advance(600_000);
  assertEquals(fired, ["x5000 at 5000", "x500000 at 500000"]);
  await timers.stop();
});

/** Timers whose firing waits until it is ended. */
async function setUpHeld(stored: readonly DueTimer[]) {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const firing: string[] = [];
  const ends: (() => void)[] = [];
  const mutations = stored.map(({ dueAt, tenant, executionId, name }) =>
    ({ type: "set", key: timerKey(dueAt, tenant, executionId, name), value: new Uint8Array([1]) }) as const
  );
  await store.commit({ checks: [], mutations, messages: [] });
  const fire = ({ executionId, dueAt }: DueTimer) => {
    firing.push(`${executionId} of ${dueAt - FAKE_START}`);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const timers = new Timers({ store, clock, logger: silentLogger(clock), fire });
  timers.start();
  return { clock, timers, firing, ends };
}

Deno.test("Timers fires 64 timers at a time, earliest first", async () => {
  const { clock, timers, firing, ends } = await setUpHeld(Array.from({ length: 100 }, (_, n) => timer(-n)));
  await clock.advance(0);
  assertEquals([firing.length, firing[0], firing[63]], [64, "x-99 of -99", "x-36 of -36"]);
  ends[5]?.();
  await clock.advance(0);
  assertEquals([firing.length, firing[64]], [65, "x-35 of -35"]);
  const stopped = timers.stop();
  for (const end of ends) end();
  await stopped;
  assertEquals(firing.length, 65);
});

Deno.test("Timers fires the timers of one execution one after the other", async () => {
  const stored = [timer(-3, "a"), timer(-2, "a"), timer(-1, "b")];
  const { clock, timers, firing, ends } = await setUpHeld(stored);
  await clock.advance(0);
  assertEquals(firing, ["a of -3", "b of -1"]);
  ends[0]?.();
  await clock.advance(0);
  assertEquals(firing, ["a of -3", "b of -1", "a of -2"]);
  for (const end of ends) end();
  await timers.stop();
});

Deno.test("Timers retries a timer that could not be fired", async () => {
  const { clock, timers, fired } = await setUp([timer(10)], (attempt) => attempt <= 2);
  await clock.advance(5_000);
  assertEquals(fired, ["x10 at 2010"]);
  await timers.stop();
});

Deno.test("Timers.check() fires timers that a clock jump made due at once", async () => {
  const { clock, timers, fired } = await setUp([timer(3_600_000)]);
  await clock.advance(0);
  clock.jump(4_000_000);
  timers.check();
  await clock.advance(0);
  assertEquals(fired, ["x3600000 at 4000000"]);
  await timers.stop();
});

Deno.test("Timers.stop() leaves no timer behind", async () => {
  const { clock, timers } = await setUp([timer(50)]);
  await clock.advance(0);
  await timers.stop();
  assertEquals(clock.timerCount, 0);
});

Deno.test("TimerHeap.popDue() returns timers in order of their due times", () => {
  fc.assert(fc.property(fc.array(fc.nat(1_000)), (delays) => {
    const heap = new TimerHeap();
    for (const delay of delays) heap.push(timer(delay));
    const popped: number[] = [];
    for (let next = heap.popDue(Infinity); next; next = heap.popDue(Infinity)) {
      popped.push(next.dueAt - FAKE_START);
    }
    assertEquals(popped, [...delays].sort((a, b) => a - b));
    assertEquals(heap.nextDue, undefined);
  }));
});
