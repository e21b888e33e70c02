import { assertEquals } from "@std/assert";
import { CallWindows } from "../../../src/services/webhooks/call_windows.ts";

const LIMIT = { calls: 2, periodMs: 1_000 };

/** Makes calls in order; returns the milliseconds that each has to wait. */
const CALLS: readonly (readonly [name: string, atMs: number, waitMs: number | undefined])[] = [
  ["a", 0, undefined],
  ["a", 400, undefined],
  ["a", 400, 600],
  ["b", 400, undefined],
  ["a", 999, 1],
  ["a", 1_000, undefined],
  ["a", 1_500, undefined],
  ["a", 1_500, 500],
  ["b", 1_399, undefined],
  ["b", 1_399, 1],
];

Deno.test("CallWindows.take() counts the calls of each name, except refused ones", () => {
  const windows = new CallWindows(10);
  for (const [name, atMs, waitMs] of CALLS) {
    assertEquals(windows.take(name, LIMIT, atMs), waitMs, `${name} at ${atMs}`);
  }
});

Deno.test("CallWindows.take() applies the limit of the call", () => {
  const windows = new CallWindows(10);
  windows.take("a", LIMIT, 0);
  windows.take("a", LIMIT, 0);
  assertEquals(windows.take("a", { calls: 3, periodMs: 1_000 }, 0), undefined);
  assertEquals(windows.take("a", { calls: 3, periodMs: 500 }, 500), undefined);
});

Deno.test("CallWindows.take() drops the oldest window when there are too many", () => {
  const windows = new CallWindows(2);
  const one = { calls: 1, periodMs: 1_000 };
  for (const name of ["a", "b", "c"]) windows.take(name, one, 0);
  assertEquals(["b", "c", "a"].map((name) => windows.take(name, one, 0)), [1_000, 1_000, undefined]);
});
