/** The face of the module: what is known of a template, typed values, deep rendering, host functions, error texts. */
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { Double, type JsonValue } from "../../src/base/json.ts";
import {
  BUILT_IN_FUNCTION_NAMES,
  compileTemplate,
  ExpressionError,
  FILTER_NAMES,
  type HostFunction,
  isTruthyText,
  printValue,
  renderDeep,
  renderText,
  TEST_NAMES,
} from "../../src/expr/mod.ts";
import { evaluateRow, renderRow, scopeOf } from "./support.ts";

Deno.test("compileTemplate() distinguishes literals from templates", () => {
  for (const source of ["", "plain", "{ a }", '{"a": 1}', "}} %}"]) {
    assertEquals(compileTemplate(source).isLiteral, true, source);
  }
  for (const source of ["{{ 1 }}", "{# c #}", "{% if true %}{% endif %}"]) {
    assertEquals(compileTemplate(source).isLiteral, false, source);
  }
});

Deno.test("compileTemplate() lists the called functions without macros", () => {
  const source =
    "{% macro m(a) %}{{ secret(a) }}{% endmacro %}{{ m(kv('x')) }}{% if max(1) %}{{ a ?? read('f') }}{% endif %}" +
    '{{ "#{now()}" }}{{ [uuid()] | join(id()) }}';
  assertEquals([...compileTemplate(source).functionNames].sort(), [
    "id",
    "kv",
    "max",
    "now",
    "read",
    "secret",
    "uuid",
  ]);
});

Deno.test("compileTemplate() lists the read root variables without local names", () => {
  const rows: [string, string[]][] = [
    ["{{ a.b[c.d] ?? e }}", ["a", "c", "e"]],
    ["{% for x in xs %}{{ x }}{{ loop.index }}{{ y }}{% endfor %}{{ x }}", ["x", "xs", "y"]],
    ["{{ n }}{% set n = m %}{{ n }}", ["m", "n"]],
    ["{% set n = 1 %}{{ n }}", []],
    ["{% macro f(p) %}{{ p }}{{ hidden }}{% endmacro %}{{ f(q) }}", ["q"]],
    ["{{ z is defined }}{{ w | default(v) }}{{ {k: 1} }}", ["k", "v", "w", "z"]],
  ];
  for (const [source, names] of rows) {
    assertEquals([...compileTemplate(source).variableNames].sort(), names, source);
  }
});

Deno.test("renderValue() keeps the kind of a single print", () => {
  const rows: [string, JsonValue][] = [
    ["{{ [1, 2] }}", [1, 2]],
    ["{{ 1 }}", 1],
    ["{{ 7 / 2.0 }}", new Double(3.5)],
    ["{{ a is defined }}", false],
    ["{{ null }}", null],
    ["{{ {'a': null} }}", { a: null }],
    ["{{ 1 }}{{ 2 }}", "12"],
    ["x{{ 1 }}", "x1"],
    ["{{ 1 }}\n", "1\n"],
    ["{% if true %}1{% endif %}", "1"],
    ["plain", "plain"],
  ];
  for (const [source, value] of rows) assertEquals(evaluateRow(source), value, source);
});

Deno.test("renderDeep() renders keys, values and items, and keeps other values", () => {
  const value = {
    "{{ k }}": ["{{ v }}", 1, null, true, { a: "x{{ v }}" }],
    key: "second",
    plain: new Double(2),
  };
  assertEquals(renderDeep(value, scopeOf({ k: "key", v: 5 }), compileTemplate), {
    key: ["5", 1, null, true, { a: "x5" }],
    plain: new Double(2),
  });
});

Deno.test("renderDeep() compiles with the given function", () => {
  const seen: string[] = [];
  const compile = (source: string) => (seen.push(source), compileTemplate(source));
  renderDeep(["{{ render('{{ 1 }}') }}", "plain"], scopeOf(), compile);
  assertEquals(seen, ["{{ render('{{ 1 }}') }}", "{{ 1 }}"]);
});

function hostOf(names: readonly string[], call: HostFunction["call"]) {
  return scopeOf({ a: "A" }, { functions: new Map([["host", { parameters: names, call }]]) });
}

Deno.test("renderText() passes evaluated arguments to host functions", () => {
  const scope = hostOf(["x", "y"], (args) => JSON.stringify([...args]));
  const render = (source: string) => renderText(compileTemplate(source), scope);
  assertEquals(render("{{ host(a, y=1 + 1) }}"), '[["x","A"],["y",2]]');
  assertEquals(render("{{ host() }}"), "[]");
  for (const source of ["{{ host(1, 2, 3) }}", "{{ host(z=1) }}", "{{ host(1, x=2) }}"]) {
    assertEquals((assertThrows(() => render(source), ExpressionError) as ExpressionError).code, "argument");
  }
  const bare = hostOf([], (args) => args.size);
  assertEquals(renderText(compileTemplate("{{ host(1, 2) }}"), bare), "0");
});

Deno.test("renderText() passes errors of host functions unchanged", () => {
  const suspended = new Error("suspended");
  const scope = hostOf([], () => {
    throw suspended;
  });
  const sources = [
    "{{ host() }}",
    "{{ host() ?? 1 }}",
    "{{ host() is defined }}",
    "{{ host() | default(1) }}",
  ];
  for (const source of [...sources, "{{ render('{{ host() }}') }}", "{{ host().a.b ??? 1 }}"]) {
    try {
      renderText(compileTemplate(source), scope);
      throw new Error("must not be reached");
    } catch (error) {
      assertStrictEquals(error, suspended, source);
    }
  }
});

Deno.test("renderText() restores the frames after a caught error in a macro", () => {
  const source = "{% macro f() %}{{ nope }}{% endmacro %}{% set x = 1 %}{{ f() ?? 'd' }}{{ x }}";
  assertEquals(renderRow(source), "d1");
});

Deno.test("ExpressionError carries expression, line, column and offset", () => {
  const rows: [string, string, number, number][] = [
    ["{{ inputs.x }}", "Unable to find `inputs.x` used in the expression `{{ inputs.x }}` at line 1", 1, 4],
    ["a\n\nb {{ z.y }} {{ 1 }}", "Unable to find `z` used in the expression `{{ z.y }}` at line 3", 3, 6],
    [
      "{{ inputs.a.b }}",
      "Unable to find `inputs.a` used in the expression `{{ inputs.a.b }}` at line 1",
      1,
      4,
    ],
    [
      "{{ inputs['k' ~ 1] }}",
      "Unable to find `inputs['k' ~ 1]` used in the expression `{{ inputs['k' ~ 1] }}` at line 1",
      1,
      4,
    ],
    [
      "{% if nope %}{% endif %}",
      "Unable to find `nope` used in the expression `{% if nope %}` at line 1",
      1,
      7,
    ],
    ["\n{{ 1 + 1 / 0 }}", "Cannot divide by zero in the expression `{{ 1 + 1 / 0 }}` at line 2", 2, 8],
    [
      "{{ nope() }}",
      "Function or Macro [nope] does not exist in the expression `{{ nope() }}` at line 1",
      1,
      4,
    ],
    ["{{ 1 | nope }}", "Filter [nope] does not exist in the expression `{{ 1 | nope }}` at line 1", 1, 8],
    ["{{ 1 +", 'Cannot find the closing "}}" in the expression `{{ 1 +` at line 1', 1, 7],
    [
      "x\n{% if true %}open",
      'Expected the tag "endif", found the end in the expression `{% if true %}` at line 2',
      2,
      18,
    ],
  ];
  for (const [source, message, line, column] of rows) {
    const error = assertThrows(() => renderRow(source, { inputs: {} }), ExpressionError) as ExpressionError;
    assertEquals([error.message, error.line, error.column], [message, line, column]);
    assertEquals(error.offset >= 0 && error.offset <= source.length, true);
  }
});

Deno.test("printValue() prints as a template does", () => {
  const rows: [JsonValue, string][] = [
    [null, ""],
    ["a", "a"],
    [1, "1"],
    [2n ** 60n, "1152921504606846976"],
    [new Double(2), "2.0"],
    [[1, null, "a"], '[1,null,"a"]'],
    [{ a: null, b: { c: null } }, '{"b":{}}'],
    [true, "true"],
  ];
  for (const [value, text] of rows) assertEquals(printValue(value), text);
});

Deno.test("isTruthyText() is false for empty, false, 0 and -0", () => {
  for (const text of ["", " ", "false", " false\n", "0", "-0"]) assertEquals(isTruthyText(text), false, text);
  for (const text of ["true", "no", "False", "00", "0.0", "null", "1"]) {
    assertEquals(isTruthyText(text), true, text);
  }
});

Deno.test("FILTER_NAMES, TEST_NAMES and BUILT_IN_FUNCTION_NAMES name each entry once", () => {
  for (const names of [FILTER_NAMES, TEST_NAMES, BUILT_IN_FUNCTION_NAMES]) {
    assertEquals(new Set(names).size, names.length);
  }
  assertEquals(FILTER_NAMES.includes("toJson") && TEST_NAMES.includes("defined"), true);
  assertEquals(BUILT_IN_FUNCTION_NAMES.includes("block") && BUILT_IN_FUNCTION_NAMES.includes("render"), true);
});
