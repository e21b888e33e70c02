/** Reading YAML takes time linear in the text, even with many aliases and keys. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ExpressionError } from "../../../src/expr/mod.ts";
import { parseYaml } from "../../../src/languages/yaml/mod.ts";
import { threadCpuMs } from "../../../src/machine/current_thread.ts";

/** Four times the text takes four times the time, where a linear search for each key takes sixteen times. */
const MAX_GROWTH = 9;
/** Shorter times are not compared. */
const FLOOR_MS = 100;

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

const LARGE: readonly (readonly [what: string, count: number, line: (index: number) => string])[] = [
  ["aliases", 15_000, (index) => index === 0 ? "- &a 1" : "- *a"],
  ["keys", 30_000, (index) => `k${index}: v`],
];

for (const [what, count, line] of LARGE) {
  Deno.test(`parseYaml() of many ${what} takes linear time`, () => {
    const quarter = costOf(count / 4, line);
    const whole = costOf(count, line);
    assert(whole < MAX_GROWTH * Math.max(quarter, FLOOR_MS), `${quarter} ms, then ${whole} ms`);
  });
}

/** The time of this thread alone: other tests of the process work at the same time. */
function costOf(count: number, line: (index: number) => string): number {
  const text = lines(count, line);
  const before = threadCpuMs();
  const value = parseYaml(text);
  const ms = threadCpuMs() - before;
  assertEquals(Object.keys(value as object).length, count);
  return ms;
}

const HUGE: readonly (readonly [what: string, of: (count: number) => string])[] = [
  ["elements", (count) => `[${"a,".repeat(count)}]`],
  ["empty elements", (count) => "-\n".repeat(count)],
  ["lists", (count) => `[${"[],".repeat(count)}]`],
  ["members", (count) => `{${"a: 1,".repeat(count)}}`],
  ["aliases", (count) => `- &a 1\n${"- *a\n".repeat(count)}`],
];

for (const [what, of] of HUGE) {
  Deno.test(`parseYaml() reads no further when there are too many ${what}`, () => {
    const few = refusalCost(of(500_000));
    const many = refusalCost(of(4_000_000));
    assert(many < 2 * Math.max(few, FLOOR_MS), `${few} ms, then ${many} ms`);
  });
}

function refusalCost(text: string): number {
  const before = threadCpuMs();
  const { message } = assertThrows(() => parseYaml(text), ExpressionError);
  assertStringIncludes(message, "The document has more than 100000 values");
  return threadCpuMs() - before;
}

const ALIASES: readonly (readonly [text: string, json: string])[] = [
  ["- &a 1\n- *a\n- &a 2\n- *a", "[1,1,2,2]"],
  ["a: &a {x: 1}\nb: &b [*a, &a 2]\nc: *b\nd: *a", '{"a":{"x":1},"b":[{"x":1},2],"c":[{"x":1},2],"d":2}'],
  ["&k a: 1\nb: *k", '{"a":1,"b":"a"}'],
];

for (const [text, json] of ALIASES) {
  Deno.test(`parseYaml() resolves aliases of ${JSON.stringify(text)}`, () => {
    assertEquals(JSON.stringify(parseYaml(text)), json);
  });
}

/** Ten names, each a list of nine of the name before: a billion values. */
const LAUGHS = lines(
  10,
  (n) => `l${n}: &l${n} [${Array.from({ length: 9 }, () => n === 0 ? "ha" : `*l${n - 1}`)}]`,
);

const REFUSED: readonly (readonly [text: string, message: string])[] = [
  ["a: 1\na: 2", "Duplicate field 'a' at line 2, column 1"],
  ["{'a': 1, a: 2}", "Duplicate field 'a' at line 1, column 10"],
  ["*a", 'Alias "a" has no anchor before it'],
  ["a: &a [*a]", 'Alias "a" refers to itself'],
  [`- &a [${"0,".repeat(400)}]\n`.concat("- *a\n".repeat(400)), "more than 100000 values"],
  [LAUGHS, "more than 100000 values"],
  [
    `- &a ${"x".repeat(1_000_000)}\n`.concat("- *a\n".repeat(90_000)),
    "expand to more than 16777216 characters",
  ],
  ["[".repeat(2_000), "nested deeper than 500 levels"],
  ["{".repeat(100_000), "nested deeper than 500 levels"],
];

for (const [text, message] of REFUSED) {
  Deno.test(`parseYaml() refuses ${JSON.stringify(text.slice(0, 30))}`, () => {
    assertThrows(() => parseYaml(text), ExpressionError, message);
  });
}
