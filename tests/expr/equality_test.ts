/** A set of values finds what is equal to one of them, and nothing else. */
import { assertEquals } from "@std/assert";
import { Double, type JsonValue, stringifyJson } from "../../src/base/json.ts";
import { Context } from "../../src/expr/context.ts";
import { areEqual, ValueSet } from "../../src/expr/equality.ts";
import { scopeOf } from "./support.ts";

const LARGE = 2n ** 60n;

/** Values of all kinds, among them numbers that only differ in kind, and those that a decimal cannot tell apart. */
const VALUES: readonly JsonValue[] = [
  ...[null, true, false, "", "1", "1.0", "true", "null"],
  ...[0, new Double(0), new Double(-0), 1, 1n, new Double(1), -1, new Double(1.5)],
  ...[2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, new Double(2 ** 53)],
  ...[LARGE, LARGE + 1n, new Double(2 ** 60), -LARGE, new Double(-(2 ** 60))],
  ...[10n ** 400n, -(10n ** 400n), new Double(1e308), 10n ** 308n],
  ...[[], [1], [new Double(1)], [[1]], ["1"], {}, { a: 1 }, { a: new Double(1) }, { b: 1, a: 1 }, {
    a: 1,
    b: 1,
  }],
];

Deno.test("ValueSet.has() agrees with areEqual() for all kinds of values", () => {
  const context = new Context(scopeOf(), () => "");
  for (const a of VALUES) {
    const set = new ValueSet(context, [a]);
    for (const b of VALUES) {
      assertEquals(set.has(b), areEqual(a, b, context), `${stringifyJson(a)} and ${stringifyJson(b)}`);
    }
  }
});
