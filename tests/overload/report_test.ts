import { assertEquals, assertStringIncludes } from "@std/assert";
import { failuresOf, percentile, type ScenarioResult, table } from "./report.ts";

const GOOD: ScenarioResult = {
  name: "idle",
  attack: "10 opened",
  reads: [1, 2, 3],
  starts: [10, 20, 100],
  refused: 7,
  failed: 0,
  acknowledged: 5,
  lost: 0,
  residentBytes: 600_000_000,
  hasDied: false,
};

Deno.test("percentile() is the value that a part of the values does not exceed", () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  assertEquals([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)], [50, 99, 100]);
  assertEquals([percentile([7], 0.5), percentile([3, 9], 0.99), percentile([], 0.5)], [7, 9, NaN]);
});

Deno.test("failuresOf() is empty within the bounds; refused requests are no failure", () => {
  assertEquals(failuresOf(GOOD), []);
});

const BROKEN: readonly (readonly [Partial<ScenarioResult>, string])[] = [
  [{ hasDied: true }, "idle: the server died"],
  [{ lost: 2 }, "idle: 2 acknowledged starts are lost"],
  [{ failed: 3 }, "idle: 3 requests of others failed"],
  [{ reads: [] }, "idle: no reads of others were served"],
  [{ starts: [101] }, "idle: p99 of starts is 101 ms, more than 100 ms"],
  [{ residentBytes: 600_000_001 }, "idle: memory is 600 MB, more than 600 MB"],
];
for (const [change, expected] of BROKEN) {
  Deno.test(`failuresOf() reports "${expected}"`, () => {
    assertEquals(failuresOf({ ...GOOD, ...change }), [expected]);
  });
}

Deno.test("table() has a line a scenario, in columns", () => {
  const [header = "", first = ""] = table([GOOD]);
  assertStringIncludes(header, "reads p50");
  assertEquals(first.split(/\s{2,}/), [
    ...["idle", "2.0", "3.0", "20.0", "100.0", "5", "7", "0", "600", "0", "10 opened"],
  ]);
});
