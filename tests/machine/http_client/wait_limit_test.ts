/** The one timer of many waits. */
import { assertEquals } from "@std/assert";
import { WaitLimit } from "../../../src/machine/http_client/wait_limit.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

type Step = readonly ["begin", number] | readonly ["end" | "stop"] | readonly ["pass", number];

interface LimitCase {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly expected: readonly number[];
  readonly timers: number;
}

const CASES: readonly LimitCase[] = [
  { name: "calls when a wait is too long", steps: [["begin", 5], ["pass", 5]], expected: [5], timers: 0 },
  { name: "does not call before", steps: [["begin", 5], ["pass", 4]], expected: [], timers: 1 },
  {
    name: "does not call for a wait that is over",
    steps: [["begin", 5], ["end"], ["pass", 9]],
    expected: [],
    timers: 0,
  },
  {
    name: "gives each wait its whole time",
    steps: [["begin", 5], ["pass", 4], ["end"], ["begin", 5], ["pass", 4]],
    expected: [],
    timers: 1,
  },
  {
    name: "calls for a later wait at its own end",
    steps: [["begin", 5], ["pass", 4], ["end"], ["begin", 5], ["pass", 5]],
    expected: [5],
    timers: 0,
  },
  {
    name: "calls for a shorter wait while the timer of a longer one runs",
    steps: [["begin", 50], ["end"], ["begin", 5], ["pass", 5]],
    expected: [5],
    timers: 0,
  },
  {
    name: "leaves nothing behind when it is stopped",
    steps: [["begin", 5], ["stop"], ["pass", 9]],
    expected: [],
    timers: 0,
  },
];

for (const { name, steps, expected, timers } of CASES) {
  Deno.test(`WaitLimit.begin() ${name}`, async () => {
    const clock = new FakeClock();
    const late: number[] = [];
    const limit = new WaitLimit(clock, (limitMs) => late.push(limitMs));
    for (const [kind, ms = 0] of steps) {
      if (kind === "pass") await clock.advance(ms);
      else limit[kind](ms);
    }
    assertEquals(late, expected);
    assertEquals(clock.timerCount, timers);
  });
}
