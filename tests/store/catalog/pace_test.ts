import { assertEquals, assertGreaterOrEqual, assertLessOrEqual } from "@std/assert";
import { Pace } from "../../../src/store/catalog/pace.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";

Deno.test("Pace.isDue is true after 4 ms", () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => false);
  clock.jump(3);
  assertEquals(pace.isDue, false);
  clock.jump(1);
  assertEquals(pace.isDue, true);
});

Deno.test("Pace.pause() begins a slice without a timer while no start waits", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => false);
  clock.jump(4);
  await pace.pause();
  assertEquals([pace.isDue, clock.timerCount], [false, 0]);
});

Deno.test("Pace.pause() leaves four fifths of the time to waiting starts", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => true);
  clock.jump(4);
  let isOver = false;
  const paused = pace.pause().then(() => isOver = true);
  await clock.advance(15);
  await settle();
  assertEquals(isOver, false);
  await clock.advance(1);
  await paused;
  assertEquals(pace.isDue, false);
});

Deno.test("Pace.begin() gives short scans in a loop a fifth of the time while starts are waiting", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => true);
  let usedMs = 0;
  const isOver = { now: false };
  const looping = (async () => {
    while (!isOver.now) {
      await pace.begin();
      clock.jump(2);
      usedMs += 2;
      pace.end();
    }
  })();
  const startedAt = clock.monotonicMs();
  for (let step = 0; step < 400; step++) {
    await clock.advance(1);
    await settle();
  }
  isOver.now = true;
  await clock.advance(200);
  await looping;
  assertLessOrEqual(usedMs / (clock.monotonicMs() - 200 - startedAt), 0.22);
  assertGreaterOrEqual(usedMs / (clock.monotonicMs() - 200 - startedAt), 0.16);
});

Deno.test("Pace.begin() does not wait while no start waits", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => false);
  for (let scan = 0; scan < 5; scan++) {
    await pace.begin();
    clock.jump(50);
    pace.end();
  }
  assertEquals(clock.timerCount, 0);
});

Deno.test("Pace.end() carries over waits that are too short, and adds work outside the scan", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => true);
  await pace.begin();
  pace.end(0.15);
  await pace.begin();
  assertEquals(clock.timerCount, 0, "no wait for 0.75 ms");
  pace.end(0.15);
  const begun = pace.begin();
  await settle();
  assertEquals(clock.timerCount, 1, "a wait for 1.5 ms");
  await clock.advance(2);
  await begun;
});

Deno.test("Pace.begin() waits at most 100 ms", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => true);
  clock.jump(5_000);
  pace.end();
  const begun = pace.begin();
  await settle();
  await clock.advance(100);
  await begun;
  assertEquals(clock.timerCount, 0);
});
