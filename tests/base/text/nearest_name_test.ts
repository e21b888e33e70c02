import { assertEquals } from "@std/assert";
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
