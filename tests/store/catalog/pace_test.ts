import { assertEquals } from "@std/assert";
import { Pace } from "../../../src/store/catalog/pace.ts";
import { FakeClock, settle } from "../../support/fake_clock.ts";

Deno.test("Pace.isDue after 4 ms", () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => false);
  clock.jump(3);
  assertEquals(pace.isDue, false);
  clock.jump(1);
  assertEquals(pace.isDue, true);
});

Deno.test("Pace.pause() takes one turn while nobody waits", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => false);
  clock.jump(4);
  await pace.pause();
  assertEquals([pace.isDue, clock.timerCount], [false, 0]);
});

Deno.test("Pace.pause() leaves three quarters of the time to waiting starts", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => true);
  clock.jump(4);
  let isOver = false;
  const paused = pace.pause().then(() => isOver = true);
  await clock.advance(11);
  await settle();
  assertEquals(isOver, false);
  await clock.advance(1);
  await paused;
  assertEquals(pace.isDue, false);
});
