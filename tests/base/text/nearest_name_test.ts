import { assertEquals, assertGreater } from "@std/assert";
import { nearestName } from "../../../src/base/text/nearest_name.ts";

const KNOWN = ["host", "port", "data-dir", "log-level", "log-format", "errorMessage", "__proto__"];

const CASES: readonly (readonly [string, string | undefined])[] = [
  ["port", "port"],
  ["prot", "port"],
  ["PORT", "port"],
  ["hosts", "host"],
  ["datadir", "data-dir"],
  ["log-levle", "log-level"],
  ["log-fromat", "log-format"],
  ["message", "errorMessage"],
  ["level", "log-level"],
  ["dir", undefined],
  ["Sage", undefined],
  ["x", undefined],
  ["", undefined],
  ["something-else", undefined],
  ["constructor", undefined],
];

for (const [name, expected] of CASES) {
  Deno.test(`nearestName() of "${name}" is ${expected}`, () => {
    assertEquals(nearestName(name, KNOWN), expected);
  });
}

Deno.test("nearestName() takes the cells of its comparisons and a few for each name that it looks at", () => {
  const budget = { cells: 1_000 };
  assertEquals(nearestName("prot", ["port", "data-dir"], { budget }), "port");
  assertEquals(budget.cells, 1_000 - 2 * 10 - 4 * 4);
});

Deno.test("nearestName() finds nothing once the budget is used up", () => {
  const budget = { cells: 100 * 100 * 3 };
  const known = Array.from({ length: 100 }, (_, at) => "a".repeat(97) + (at + 100));
  assertEquals(nearestName("b".repeat(100), known, { budget }), undefined);
  assertGreater(budget.cells, -100 * 100);
  assertEquals(nearestName("prot", ["port"], { budget }), undefined);
});
