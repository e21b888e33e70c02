import { assertEquals } from "@std/assert";
import { problemsOf, type Rows } from "../flow_support.ts";

/** A property of one task, in flow style, at 4:31. */
const VALUES: Rows = [
  ["texts in a list", "texts: [a, 1, true, 2.5]", []],
  ["an empty list", "texts: []", []],
  ["an object among texts", "texts: [a, {b: c}]", ["wrong_type tasks[0].texts[1] @4:42+6"]],
  ["null among required texts", "texts: [a, null]", ["required tasks[0].texts[1] @4:42+4"]],
  ["a text as list", "texts: a", ["wrong_type tasks[0].texts @4:38+1"]],
  ["whole numbers in a map", "numbers: {a: 1, b: '2'}", []],
  ["a text in a map of numbers", "numbers: {a: 1, b: x}", ["wrong_type tasks[0].numbers.b @4:50+1"]],
  ["null in a map", "numbers: {a: null}", []],
  ["a name like a prototype's in a map", "numbers: {__proto__: x, constructor: 1}", [
    "wrong_type tasks[0].numbers.__proto__ @4:52+1",
  ]],
  ["expressions in a dynamic list", "names: ['{{ inputs }}', b]", []],
  ["an object in a dynamic list", "names: [{a: b}]", ["wrong_type tasks[0].names[0] @4:39+6"]],
  ["an expression as a dynamic list", "names: '{{ inputs }}'", []],
  ["JSON text as a dynamic list", `names: '["a", "b"]'`, []],
  ["JSON text as a dynamic list with a wrong item", `names: '[{"a": 1}]'`, [
    "wrong_type tasks[0].names[0] @4:38+12",
  ]],
  ["JSON text of an object as a dynamic list", `names: '{"a": 1}'`, ["wrong_type tasks[0].names @4:38+10"]],
  ["JSON text as a list without expressions", `texts: '["a"]'`, ["wrong_type tasks[0].texts @4:38+7"]],
  ["JSON text as a dynamic object", `dynamicObject: '{"size": 1}'`, []],
  ["an expression in a list without expressions", "numbers: {a: '{{ 1 }}'}", [
    "wrong_type tasks[0].numbers.a @4:44+9",
  ]],
  ["a number within its bounds", "share: 0.5", []],
  ["the least number", "share: 0", []],
  ["the greatest number", "share: 1.0", []],
  ["a number above the maximum", "share: 1.01", ["too_large tasks[0].share @4:38+4"]],
  ["a negative number", "share: -1", ["too_small tasks[0].share @4:38+2"]],
  ["a number as text above the maximum", "share: '7'", ["too_large tasks[0].share @4:38+3"]],
  ["a text of the right form", "code: ab", []],
  ["a text of another form", "code: abc", ["wrong_form tasks[0].code @4:37+3"]],
  ["a text with a line break", 'code: "ab\\n"', ["wrong_form tasks[0].code @4:37+6"]],
  ["a date", "date: 2026-01-31", []],
  ["a date and time", "date: '2026-01-31T12:00:00Z'", []],
  ["a date with offset and zone", "date: '2026-01-31T12:00:00+01:00[Europe/Paris]'", []],
  ["a text that is no date", "date: yesterday", ["wrong_type tasks[0].date @4:37+9"]],
  ["a month that does not exist", "date: '2026-13-01'", ["wrong_type tasks[0].date @4:37+12"]],
  ["a number as date", "date: 2026", ["wrong_type tasks[0].date @4:37+4"]],
  ["a map where it may be a text", "mapOrText: {a: 1}", []],
  ["a text where a map is expected", "mapOrText: '{\"a\": 1}'", []],
  ["a list where it may be a map or a text", "mapOrText: [1]", ["wrong_type tasks[0].mapOrText @4:42+3"]],
  ["a long text where a list is expected", "listOrText: abcdef", ["too_long tasks[0].listOrText @4:43+6"]],
  ["a map where it may be a list", "values: {a: 1}", []],
  ["a number where it may be a list or a map", "values: 3", ["wrong_type tasks[0].values @4:39+1"]],
  ["a list of maps", "maps: [{a: 1}, {b: 2}]", []],
  ["a text among maps", "maps: [{a: 1}, b]", ["wrong_type tasks[0].maps[1] @4:46+1"]],
  ["an object of anything", "free: {a: {b: [c]}}", []],
  ["a text as object", "free: x", ["wrong_type tasks[0].free @4:37+1"]],
  ["an object", "options: {size: 1, mode: A}", []],
  ["an object without a required member", "options: {mode: B}", ["required tasks[0].options.size @4:40+9"]],
  ["an object with a wrong member", "options: {size: 1, mode: C}", [
    "wrong_value tasks[0].options.mode @4:56+1",
  ]],
  ["an object with a misspelt value", "options: {size: 1, mode: a}", [
    "wrong_value tasks[0].options.mode @4:56+1",
  ]],
  ["an object with an unknown member", "options: {size: 1, sise: 2}", [
    "unknown_property tasks[0].options.sise @4:50+4",
  ]],
  ["an object with an empty member", "options: {size: }", ["required tasks[0].options.size @4:47+1"]],
  ["a list as object", "options: [1]", ["wrong_type tasks[0].options @4:40+3"]],
  ["null as object", "options: null", []],
  ["an expression in an object that is not dynamic", "options: {size: '{{ 1 }}'}", [
    "wrong_type tasks[0].options.size @4:47+9",
  ]],
  ["an expression in a dynamic object", "dynamicObject: {size: '{{ 1 }}'}", []],
  ["a wrong member of a dynamic object", "dynamicObject: {size: x}", [
    "wrong_type tasks[0].dynamicObject.size @4:53+1",
  ]],
  ["a broken expression in a dynamic object, reported once", "dynamicObject: {size: '{{ 1 + }}'}", [
    "warning expression tasks[0].dynamicObject.size @4:53+11",
  ]],
  ["a variant", "shape: {type: circle, radius: 2}", []],
  ["a variant without its member", "shape: {type: circle}", ["required tasks[0].shape.radius @4:38+14"]],
  ["a variant with the member of another", "shape: {type: circle, radius: 1, side: 2}", [
    "unknown_property tasks[0].shape.side @4:64+4",
  ]],
  ["an unknown variant", "shape: {type: oval, radius: 1}", ["wrong_value tasks[0].shape.type @4:45+4"]],
  ["a misspelt variant", "shape: {type: circel, radius: 1}", ["wrong_value tasks[0].shape.type @4:45+6"]],
  ["no variant", "shape: {radius: 1}", ["required tasks[0].shape.type @4:38+11"]],
  ["an empty object where variants are", "shape: {}", ["required tasks[0].shape.type @4:38+2"]],
  ["a variant called like a prototype's", "shape: {type: constructor}", [
    "wrong_value tasks[0].shape.type @4:45+11",
  ]],
  ["the default variant", "shapes: [{name: a}]", []],
  ["several variants", "shapes: [{name: a}, {type: line, to: 3}, {type: dot}]", []],
  ["a wrong variant in a list", "shapes: [{type: line}, {type: dot, to: 1}]", [
    "required tasks[0].shapes[0].to @4:40+12",
    "unknown_property tasks[0].shapes[1].to @4:66+2",
  ]],
  ["null in a list of objects", "shapes: [null]", ["required tasks[0].shapes[0] @4:40+4"]],
  ["a text in a list of objects", "shapes: [x]", ["wrong_type tasks[0].shapes[0] @4:40+1"]],
  ["a property", "current: 1", []],
  ["a property by another name", "older: 1", ["warning deprecated tasks[0].older @4:31+5"]],
  ["a wrong property by another name", "oldest: x", [
    "warning deprecated tasks[0].oldest @4:31+6",
    "wrong_type tasks[0].oldest @4:39+1",
  ]],
  ["a property by two names", "current: 1, older: 2", [
    "duplicate_property tasks[0].older @4:43+5",
    "warning deprecated tasks[0].older @4:43+5",
  ]],
  ["a null property by two names", "current: null, older: 2", ["warning deprecated tasks[0].older @4:46+5"]],
  ["a deprecated property", "outdated: x", ["warning deprecated tasks[0].outdated @4:31+8"]],
  ["a wrong deprecated property", "outdated: [x]", [
    "warning deprecated tasks[0].outdated @4:31+8",
    "wrong_type tasks[0].outdated @4:41+3",
  ]],
  ["an ignored property", "unused: {a: 1}", ["warning ignored tasks[0].unused @4:31+6"]],
  ["an ignored property of any kind", "unused: 3", ["warning ignored tasks[0].unused @4:31+6"]],
  ["a wrong planned property", "later: x", ["wrong_type tasks[0].later @4:38+1"]],
  ["a wrong planned member", "options: {size: 1, later: x}", ["wrong_type tasks[0].options.later @4:57+1"]],
  ["a planned property without effect", "later: false", []],
  ["a condition", "condition: {type: core.condition.Expression, expression: x}", []],
  ["a text as condition", "condition: x", ["wrong_type tasks[0].condition @4:42+1"]],
  ["conditions", "conditions: [{type: core.condition.Expression, expression: x}]", []],
  ["null among conditions", "conditions: [null]", ["required tasks[0].conditions[0] @4:44+4"]],
  ["a list as map of conditions", "named: []", ["wrong_type tasks[0].named @4:38+2"]],
  ["a wrong condition in a map", "named: {a: {type: core.condition.Expression}}", [
    "required tasks[0].named.a.expression @4:42+33",
  ]],
];

/** A task whose only property has an older name. */
const ALIASED: Rows = [
  ["by its name", "{id: a, type: test.Aliased, current: x}", []],
  ["by its older name", "{id: a, type: test.Aliased, older: x}", [
    "warning deprecated tasks[0].older @4:31+5",
  ]],
  ["missing", "{id: a, type: test.Aliased}", ["required tasks[0].current @4:3+27"]],
  ["null by both names", "{id: a, type: test.Aliased, current: , older: }", [
    "required tasks[0].current @4:40+1",
    "warning deprecated tasks[0].older @4:42+5",
  ]],
];

/** Each group of rows, and the source around a part. */
const GROUPS: readonly (readonly [string, Rows, (part: string) => string])[] = [
  ["a property:", VALUES, (part) => `id: f\nnamespace: n\ntasks:\n- {id: a, type: test.Schemas, ${part}}\n`],
  ["a required property:", ALIASED, (part) => `id: f\nnamespace: n\ntasks:\n- ${part}\n`],
];

for (const [group, rows, build] of GROUPS) {
  for (const [name, part, expected] of rows) {
    Deno.test(`validateFlow() ${group} ${name}`, () => {
      assertEquals(problemsOf(build(part), { withPlanned: false }), [...expected]);
    });
  }
}
