/** Reading YAML takes time linear in the text, even with many aliases and keys. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ExpressionError } from "../../../src/expr/mod.ts";
import { parseYaml } from "../../../src/languages/yaml/mod.ts";
import { threadCpuMs } from "../../../src/machine/current_thread.ts";

const COUNT = 15_000;
/** A linear search for each key and anchor takes 4 to 8 s of the processor, a look-up some 0.3. */
const MAX_MS = 2_500;

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

const LARGE: readonly (readonly [what: string, text: string, size: number])[] = [
  ["aliases", lines(COUNT, (index) => index === 0 ? "- &a 1" : "- *a"), COUNT],
  ["keys", lines(2 * COUNT, (index) => `k${index}: v`), 2 * COUNT],
];

for (const [what, text, size] of LARGE) {
  Deno.test(`parseYaml() of many ${what} takes linear time`, () => {
    // Of this thread alone: other tests of the process work at the same time.
    const before = threadCpuMs();
    assertEquals(Object.keys(parseYaml(text) as object).length, size);
    const ms = threadCpuMs() - before;
    assert(ms < MAX_MS, `${ms} ms`);
  });
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
