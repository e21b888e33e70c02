import { assertEquals } from "@std/assert";
import { FlooredClock } from "../../../src/base/time/floored_clock.ts";
import { FAKE_START, FakeClock } from "../../support/fakes/fake_clock.ts";

Deno.test("FlooredClock shows the time of the clock below while that is later", () => {
  const below = new FakeClock();
  const clock = new FlooredClock(below);
  clock.raise(FAKE_START - 1);
  assertEquals(clock.now(), FAKE_START);
  below.jump(5);
  assertEquals(clock.now(), FAKE_START + 5);
});

Deno.test("FlooredClock never goes below its floor, and passes at half speed until both clocks show the same", () => {
  const below = new FakeClock();
  const clock = new FlooredClock(below);
  clock.raise(FAKE_START + 1_000);
  const shown = [0, 500, 500, 999, 1].map((ms) => {
    below.jump(ms);
    return clock.now() - FAKE_START;
  });
  assertEquals(shown, [1_000, 1_250, 1_500, 1_999, 2_000]);
  below.jump(10);
  assertEquals(clock.now(), FAKE_START + 2_010);
});
