import { assertEquals, assertLess, assertThrows } from "@std/assert";
import { ExpressionError, inspectTemplate } from "../../src/expr/mod.ts";

/** A template, and what it reads: paths joined by `/`, with `?` behind guarded ones. */
const ROWS: readonly (readonly [string, readonly string[]])[] = [
  ["text", []],
  ["{{ 1 + 'a' }}", []],
  ["{{ a }}", ["a"]],
  ["{{ a.b.c }}", ["a/b/c"]],
  ["{{ a['b'].c }}", ["a/b/c"]],
  ["{{ a[0].c }}", ["a"]],
  ["{{ a[b.c].d }}", ["a", "b/c"]],
  ["{{ a.b.size() }}", ["a/b"]],
  ["{{ a.b.indexOf(c.d) }}", ["a/b", "c/d"]],
  ["{{ a.first().b }}", ["a"]],
  ["{{ f(a, name=b) }}", ["a", "b"]],
  ["{{ f(a).b }}", ["a"]],
  ["{{ f(a)[b] }}", ["a", "b"]],
  ["{{ f(a).g(b) }}", ["a", "b"]],
  ["{{ (a ~ b).c[d].e(f)['g'][h.i] ?? j }}", ["a?", "b?", "d?", "f?", "h/i?", "j"]],
  ["{{ (a | upper).b[c.d] is defined }}", ["a?", "c/d?"]],
  ["{{ [a, b] }}", ["a", "b"]],
  ["{{ {'k': a, b: c} }}", ["a", "b", "c"]],
  ["{{ a | upper | replace({'x': b}) }}", ["a", "b"]],
  ["{{ a ? b : c }}", ["a", "b", "c"]],
  ["{{ a and not b or -c }}", ["a", "b", "c"]],
  ['{{ "x #{a.b} y" }}', ["a/b"]],
  ["{{ a ?? b }}", ["a?", "b"]],
  ["{{ (a.x ~ b) ?? c }}", ["a/x?", "b?", "c"]],
  ["{{ a ??? b ??? 1 }}", ["a?", "b?"]],
  ["{{ a | default(b) }}", ["a?", "b"]],
  ["{{ a | upper | default('x') }}", ["a?"]],
  ["{{ a is defined }}", ["a?"]],
  ["{{ a is not defined }}", ["a?"]],
  ["{{ a is empty }}", ["a"]],
  ["{{ a.b is defined ? a.b.c : a.d }}", ["a/b?", "a/b/c?", "a/d"]],
  ["{% if a.b is defined %}{{ a.b }}{% elseif c %}{{ d }}{% else %}{{ e }}{% endif %}", [
    "a/b?",
    "a/b?",
    "c",
    "d",
    "e",
  ]],
  ["{{ a.b.c is defined }}{{ a.b }}{{ a.b.c.d }}{{ a.c.b }}", ["a/b/c?", "a/b", "a/b/c/d?", "a/c/b"]],
  ["{% for i in a.list %}{{ i.x }}{{ loop.index }}{{ b }}{% else %}{{ c }}{% endfor %}", [
    "a/list",
    "b",
    "c",
  ]],
  ["{% set a = b %}{{ a.c }}{{ d }}", ["b", "d"]],
  ["{% macro m(x) %}{{ x }}{{ y }}{% endmacro %}{{ m(z) }}", ["z"]],
  ["{% filter replace({'a': b}) %}{{ c }}{% endfilter %}", ["b", "c"]],
  ["{% block x %}{{ a }}{% endblock %}", ["a"]],
  ["{# a #}{% raw %}{{ a }}{% endraw %}", []],
  ["{{ __proto__.constructor }}", ["__proto__/constructor"]],
];

for (const [template, expected] of ROWS) {
  Deno.test(`inspectTemplate() of ${template}`, () => {
    const found = inspectTemplate(template).references.map(({ path, isGuarded }) =>
      path.join("/") + (isGuarded ? "?" : "")
    );
    assertEquals(found.sort(), [...expected].sort());
  });
}

Deno.test("inspectTemplate() gives the text of each path", () => {
  const texts = inspectTemplate("{{ a.b['c d'].e() ~ x }}").references.map(({ text }) => text);
  assertEquals(texts.sort(), ["a.b['c d'].e()", "x"]);
});

Deno.test("inspectTemplate() gives the values of a chain from left to right when it begins with none", () => {
  const texts = inspectTemplate("{{ f(a)[b].g(c)[d] }}").references.map(({ text }) => text);
  assertEquals(texts, ["a", "b", "c", "d"]);
});

Deno.test("inspectTemplate() goes straight to the root of a chain", () => {
  const { [Symbol.iterator]: iterate } = Array.prototype;
  const links = new Set<object>();
  let reads = 0;
  // The parser iterates over the parts of each node: it shows the links of the chain.
  Array.prototype[Symbol.iterator] = function (this: { kind: string; object: unknown }[]) {
    const link = this.length === 1 ? this[0] : undefined;
    if (link?.kind === "member" && !links.has(link)) {
      links.add(link);
      const { object } = link;
      const get = () => {
        reads++;
        return object;
      };
      Object.defineProperty(link, "object", { get });
    }
    return iterate.call(this);
  } as typeof iterate;
  try {
    assertEquals(inspectTemplate(`{{ (a ~ b)${".c".repeat(500)} }}`).references.length, 2);
  } finally {
    Array.prototype[Symbol.iterator] = iterate;
  }
  assertEquals(links.size, 499);
  assertLess(reads, 5_000);
});

Deno.test("inspectTemplate() gives the names of functions without macros", () => {
  const { functionNames } = inspectTemplate(
    "{% macro m() %}{{ now() }}{% endmacro %}{{ m() }}{{ kv(secret('A')) }}",
  );
  assertEquals([...functionNames].sort(), ["kv", "now", "secret"]);
});

Deno.test("inspectTemplate() refuses malformed templates", () => {
  assertThrows(() => inspectTemplate("{{ a b }}"), ExpressionError);
});

Deno.test("inspectTemplate() compares each value with the tested ones once", () => {
  const source = Array.from({ length: 2_000 }, (_, at) => `{{ a.b${at} is defined }}{{ a.b${at}.c }}`).join(
    "",
  );
  const { every } = Array.prototype;
  let calls = 0;
  Array.prototype.every = function (this: unknown[], ...given: Parameters<typeof every>) {
    calls++;
    return every.apply(this, given);
  } as typeof every;
  try {
    const { references } = inspectTemplate(source);
    assertEquals([references.length, references.filter(({ isGuarded }) => isGuarded).length], [4_000, 4_000]);
  } finally {
    Array.prototype.every = every;
  }
  assertLess(calls, 100_000);
});
