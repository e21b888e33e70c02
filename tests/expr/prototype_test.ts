/** Names of prototypes are names like any other: missing where nobody set them. */
import { assertEquals } from "@std/assert";
import { parseJson } from "../../src/base/json.ts";
import { compileTemplate, renderDeep } from "../../src/expr/mod.ts";
import { type ErrorRow, evaluateRow, renderRow, type Row, scopeOf, testErrors, testRows } from "./support.ts";

const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "prototype",
  "__defineGetter__",
];
const data = { m: {}, l: [1], s: "x", n: 1, b: true, d: { "toString": "mine" } };

testErrors(
  "prototype",
  NAMES.flatMap((name): ErrorRow[] => [
    [`{{ ${name} }}`, "undefined"],
    [`{{ m.${name} }}`, "undefined"],
    [`{{ m['${name}'] }}`, "undefined"],
    [`{{ l.${name} }}`, "undefined"],
    [`{{ s['${name}'] }}`, "undefined"],
    [`{{ n.${name} }}`, "undefined"],
    [`{{ m.${name}() }}`, "undefined"],
    [`{{ ${name}() }}`, "unknown_function"],
    [`{{ s | ${name} }}`, "unknown_filter"],
    [`{{ s is ${name} }}`, "unknown_test"],
    [`{{ s | escapeChar('${name}') }}`, "argument"],
    [`{{ 'x' | number('${name}') }}`, "argument"],
  ]),
  data,
);

testRows("prototype", [
  ...NAMES.map((name): Row => [`{{ '1' | number('${name}') }}`, "1"]),
  ["{{ m contains 'constructor' }}{{ 'toString' isIn m }}", "falsefalse"],
  ["{{ d.toString }}", "mine"],
  ["{{ {'__proto__': 1} }}{{ ({'__proto__': 1}).__proto__ }}", '{"__proto__":1}1'],
  ["{{ m | merge({'__proto__': {'x': 1}}) }}{{ m.x ?? 'none' }}", '{"__proto__":{"x":1}}none'],
  ["{% set __proto__ = 1 %}{{ __proto__ }}", "1"],
  ["{% for constructor in l %}{{ constructor }}{% endfor %}", "1"],
  ["{% macro toString(__proto__) %}{{ __proto__ }}{% endmacro %}{{ toString(5) }}", "5"],
  ['{{ fromJson(\'{"__proto__": {"a": 1}}\').a ?? "none" }}', "none"],
  ["{{ yaml('__proto__: {a: 1}').a ?? 'none' }}{{ yaml('__proto__: 1') }}", 'none{"__proto__":1}'],
], data);

Deno.test("renderDeep() keeps a key named __proto__ as data", () => {
  const rendered = renderDeep(
    parseJson('{"__proto__": {"a": "{{ s }}"}}'),
    scopeOf({ s: "x" }),
    compileTemplate,
  );
  assertEquals(JSON.stringify(rendered), '{"__proto__":{"a":"x"}}');
  assertEquals(Object.getPrototypeOf(rendered), Object.prototype);
});

Deno.test("renderValue() gives values without changed prototypes", () => {
  evaluateRow(
    "{{ {'__proto__': {'polluted': 1}} | merge({'constructor': {'prototype': {'polluted': 1}}}) }}",
  );
  assertEquals(renderRow("{{ ({}).polluted ?? 'clean' }}"), "clean");
  assertEquals(Reflect.get({}, "polluted"), undefined);
});
