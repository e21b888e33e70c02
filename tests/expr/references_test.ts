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
