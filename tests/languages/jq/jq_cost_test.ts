/** What jq formats cost is what they take from the steps, failing or not. */
import { assertEquals, assertThrows } from "@std/assert";
import { compileTemplate, ExpressionError, renderValue } from "../../../src/expr/mod.ts";
import { scopeOf } from "../../expr/support.ts";

const names = Array.from({ length: 10_000 }, (_, index) => [`n${index}`, index] as const);
const VARIABLES = {
  named: Object.fromEntries(names),
  nested: JSON.parse("[".repeat(60) + "]".repeat(60)),
  cells: Array.from({ length: 10_000 }, () => "x"),
  text: "1".repeat(100_000),
};

/** Programs that format a large value twenty times. */
const COSTLY: readonly (readonly [name: string, program: string])[] = [
  ["cells", "[range(20) as $i | @tsv] | length"],
  ["cells", "[range(20) as $i | @csv] | length"],
  ["cells", "[range(20) as $i | @sh] | length"],
  ["text", "[range(20) as $i | try @base32d catch 0] | length"],
  ["text", "[range(20) as $i | try @base64d catch 0] | length"],
  ["nested", "[range(2000) as $i | tojson] | length / 100"],
  ["nested", '[range(2000) as $i | "\\(.)"] | length / 100'],
  ["cells", "[range(20) as $i | . == $v] | length"],
  ["named", "[range(20) as $i | . < $v] | length"],
  ["named", "[range(20) as $i | first(.[])] | length"],
  ["named", "[range(20) as $i | length] | length"],
  ["text", "[range(20) as $i | try tonumber catch 0] | length"],
  ["text", "[range(12000) as $i | try error catch 0] | length / 600"],
  ["text", "[range(12000) as $i | label $l | break $l] | 20"],
  ["text", "[range(12000) as $i | 1 as [$x] ?// $x | $x] | length / 600"],
];

for (const [name, program] of COSTLY) {
  Deno.test(`jq() counts the work of ${program}`, () => {
    const template = compileTemplate(`{{ [${name}] | jq(p) }}`);
    const run = (maxSteps: number) => {
      return renderValue(
        template,
        scopeOf({ ...VARIABLES, p: `.[0] | . as $v | ${program}` }, { limits: { maxSteps } }),
      );
    };
    assertEquals(run(1_000_000), [20]);
    assertThrows(() => run(10_000), ExpressionError, "steps");
  });
}
