import { assertEquals } from "@std/assert";
import { systemClock } from "../../../src/base/time/clock.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const DAY_MS = 86_400_000;

/** The longest delay of `setTimeout`; it fires at once after a longer one. */
const MAX_PLATFORM_MS = 2 ** 31 - 1;

/** Timers of the platform on a fake clock, until it is disposed of. */
class FakePlatformTimers implements Disposable {
  readonly clock = new FakeClock();
  readonly #own = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

  constructor() {
    const cancels: (() => void)[] = [];
    const setTimeout = (callback: () => void, ms: number) =>
      cancels.push(this.clock.setTimer(ms > MAX_PLATFORM_MS ? 0 : ms, callback));
    const clearTimeout = (timer: number) => cancels[timer - 1]?.();
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, this.#own);
  }
}

for (const days of [1, 24, 25, 30, 90]) {
  Deno.test(`systemClock.setTimer() fires once, after a delay of ${days} days`, async () => {
    using platform = new FakePlatformTimers();
    let fired = 0;
    systemClock.setTimer(days * DAY_MS, () => fired++);
    await platform.clock.advance(days * DAY_MS - 1);
    assertEquals(fired, 0);
    await platform.clock.advance(1);
    assertEquals([fired, platform.clock.timerCount], [1, 0]);
  });
}

Deno.test("systemClock.setTimer() is cancelled in any part of a long delay", async () => {
  using platform = new FakePlatformTimers();
  let fired = 0;
  for (const days of [0, 30, 60]) {
    const cancel = systemClock.setTimer(90 * DAY_MS, () => fired++);
    await platform.clock.advance(days * DAY_MS);
    assertEquals(platform.clock.timerCount, 1);
    cancel();
    assertEquals(platform.clock.timerCount, 0);
  }
  assertEquals(fired, 0);
});
