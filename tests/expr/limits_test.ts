/** Bounds: depth, length, steps, output, recursion, ranges, regular expressions. */
import type { JsonValue } from "../../src/base/json.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  compileTemplate,
  ExpressionError,
  type ExpressionLimits,
  renderDeep,
  renderText,
} from "../../src/expr/mod.ts";
import { scopeOf, testErrors } from "./support.ts";

const DEEP = "[".repeat(5000) + "]".repeat(5000);
const data = {
  text: "a".repeat(10_000),
  long: "a".repeat(200_000),
  deep: DEEP,
  locale: "en-x" + "-abcdefgh".repeat(100),
};
const doubling = (start: string, step: string) =>
  `{% set a = ${start} %}{% for i in 1..60 %}{% set a = ${step} %}{% endfor %}{{ a }}`;

Deno.test("compileTemplate() takes a template of as many tokens as the limit allows", () => {
  const source = "{{a}}".repeat(66_666);
  assertEquals(compileTemplate(source).source, source);
});

testErrors("limit", [
  [`{{ ${"(".repeat(101)}1${")".repeat(101)} }}`, "limit"],
  [`{{ ${"[".repeat(200)}1${"]".repeat(200)} }}`, "limit"],
  [`{{ ${"not ".repeat(200)}1 }}`, "limit"],
  [`{{ ${"a ? b : ".repeat(200)}c }}`, "limit"],
  [`{{ ${"1 + ".repeat(700)}1 }}`, "limit"],
  [`{{ a${".b".repeat(700)} }}`, "limit"],
  [`{{ 1${" | abs".repeat(700)} }}`, "limit"],
  [`{{ ${'"#{'.repeat(120)}1${'}"'.repeat(120)} }}`, "limit"],
  ["{% if true %}".repeat(200) + "{% endif %}".repeat(200), "limit"],
  ["{{ 1 }}" + " ".repeat(1_000_000), "limit"],
  ["{{a}}".repeat(66_667), "limit"],
  [`{{ [${"1,".repeat(100_000)}1] }}`, "limit"],
  [`{{ ${'"#{1}" ~ '.repeat(50)}"${"#{1}".repeat(100_000)}" }}`, "limit"],
  ["{{ 1..200000 }}", "limit"],
  ["{{ range(1, 9007199254740991) }}", "limit"],
  ["{% for a in 1..2000 %}{% for b in 1..2000 %}{% endfor %}{% endfor %}", "limit"],
  ["{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "limit"],
  [
    `{% macro f() %}{{ ${"1 + ".repeat(500)}f() ~ ${"(".repeat(60)}f()${
      ")".repeat(60)
    } }}{% endmacro %}{{ f() }}`,
    "limit",
  ],
  ["{% for i in 1..100000 %}{{ text | regexMatch('(a|a)*b' ~ i) }}{% endfor %}", "limit"],
  ["{% for i in 1..100000 %}{{ yaml(text ~ i) | length }}{% endfor %}", "limit"],
  ["{% for i in 1..100000 %}{{ render(long ~ i) | length }}{% endfor %}", "limit"],
  ["{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}", "limit"],
  ['{% block "b" %}{{ block("b") }}{% endblock %}', "limit"],
  ["{% set v = '{{ render(v) }}' %}{{ render(v) }}", "limit"],
  [doubling("'x'", "a ~ a"), "limit"],
  [doubling("'x'", "a + a"), "limit"],
  [doubling("[1]", "a + a"), "limit"],
  [doubling("[1]", "a | merge(a)"), "limit"],
  [doubling("[1]", "[a, a]"), "limit"],
  [doubling("[1]", "{'k': a, 'l': a}"), "limit"],
  [doubling("'xx'", "a | replace({'x': a})"), "limit"],
  [doubling("'xx'", "a | regexReplace('x', a)"), "limit"],
  [doubling("'xx'", "a | split('') | join(a)"), "limit"],
  [
    "{% set a = [1] %}{% set b = [1] %}{% for i in 1..60 %}{% set a = [a, a] %}{% set b = [b, b] %}{% endfor %}{{ a == b }}",
    "limit",
  ],
  ["{% set a = 1 %}{% for i in 1..20000 %}{% set a = [a] %}{% endfor %}{{ a }}", "limit"],
  ["{% set a = 1 %}{% for i in 1..20000 %}{% set a = [a] %}{% endfor %}{{ a ~ '' }}", "limit"],
  ["{{ 'x' | indent(999999999) }}{{ 'a' | indent(999999999, 'abc') }}", "limit"],
  ["{{ fromJson(deep) }}", "limit"],
  ["{{ yaml(deep) }}", "limit"],
  [`{{ 'a' | regexMatch('${"a".repeat(1001)}') }}`, "limit"],
  ["{{ 'a' | regexMatch('(a{1000}){1000}') }}", "limit"],
  ["{{ 0 | date('MMMM', locale=locale) }}", "argument"],
  ["{{ 'a' | regexMatch('(((?:){9999}){9999}){9999}') }}{{ 1..200000 }}", "limit"],
  ["{{ long | regexReplace('(b.*c)|a.*?b|[a-z]{1,50}z|a', 'b') }}", "limit"],
], data);

Deno.test("renderText() matches in linear time patterns that are exponential for backtracking", () => {
  const template = compileTemplate(
    `{{ text | regexMatch('(a*)*b') }}{{ text | regexMatch('(a|a)*b') }}` +
      `{{ text | regexMatch('${"a?".repeat(30)}${"a".repeat(30)}') }}`,
  );
  assertEquals(renderText(template, scopeOf(data)), "falsefalsetrue");
});

Deno.test("renderDeep() refuses values that are nested too deeply", () => {
  let value: JsonValue = "{{ 1 }}";
  for (let i = 0; i < 20_000; i++) value = [value];
  const error = assertThrows(() => renderDeep(value, scopeOf(), compileTemplate), ExpressionError);
  assertEquals((error as ExpressionError).code, "limit");
});

Deno.test("renderText() uses the limits of the scope", () => {
  const rows: [string, Partial<ExpressionLimits>][] = [
    ["{{ 1 }}{{ 2 }}{{ 3 }}", { maxSteps: 2 }],
    ["{{ 'abc' }}", { maxOutputLength: 2 }],
    ["{{ 1..5 }}", { maxRangeLength: 4 }],
    ["{{ render('{{ render(1) }}') }}{{ render('{{ 1 }}') }}", { maxCallDepth: 0 }],
    ["{{ 'abc' | regexMatch('[a-z]*x') }}", { maxRegexMoves: 5 }],
  ];
  for (const [source, limits] of rows) {
    const error = assertThrows(
      () => renderText(compileTemplate(source), scopeOf({}, { limits })),
      ExpressionError,
    );
    assertEquals((error as ExpressionError).code, "limit", source);
  }
});

Deno.test("renderText() prints values within the limits", () => {
  const template = compileTemplate("{% for i in 1..10000 %}{{ i }},{% endfor %}");
  assert(renderText(template, scopeOf()).endsWith(",10000,"));
});
