import { assertEquals } from "@std/assert";
import { problemsOf, type Rows } from "../flow_support.ts";

/** A property of one task, in flow style, at 4:31. */
const VALUES: Rows = [
  ["texts in a list", "texts: [a, 1, true, 2.5]", []],
  ["an empty list", "texts: []", []],
  ["an object among texts", "texts: [a, {b: c}]", [
    "tasks[0].texts[1]: must be a text, but received an object @4:42+6",
  ]],
  ["null among required texts", "texts: [a, null]", ["tasks[0].texts[1]: must not be null @4:42+4"]],
  ["a text as list", "texts: a", ['tasks[0].texts: must be a list, but received "a" @4:38+1']],
  ["whole numbers in a map", "numbers: {a: 1, b: '2'}", []],
  ["a text in a map of numbers", "numbers: {a: 1, b: x}", [
    'tasks[0].numbers.b: must be a whole number, but received "x" @4:50+1',
  ]],
  ["null in a map", "numbers: {a: null}", []],
  ["a name like a prototype's in a map", "numbers: {__proto__: x, constructor: 1}", [
    'tasks[0].numbers.__proto__: must be a whole number, but received "x" @4:52+1',
  ]],
  ["expressions in a dynamic list", "names: ['{{ inputs }}', b]", []],
  ["an object in a dynamic list", "names: [{a: b}]", [
    "tasks[0].names[0]: must be a text, but received an object @4:39+6",
  ]],
  ["an expression as a dynamic list", "names: '{{ inputs }}'", []],
  ["an expression in a list without expressions", "numbers: {a: '{{ 1 }}'}", [
    'tasks[0].numbers.a: must be a whole number, but received "{{ 1 }}" @4:44+9',
  ]],
  ["a number within its bounds", "share: 0.5", []],
  ["the least number", "share: 0", []],
  ["the greatest number", "share: 1.0", []],
  ["a number above the maximum", "share: 1.01", ["tasks[0].share: must be less than or equal to 1 @4:38+4"]],
  ["a negative number", "share: -1", ["tasks[0].share: must be greater than or equal to 0 @4:38+2"]],
  ["a number as text above the maximum", "share: '7'", [
    "tasks[0].share: must be less than or equal to 1 @4:38+3",
  ]],
  ["a text of the right form", "code: ab", []],
  ["a text of another form", "code: abc", [
    'tasks[0].code: must match "[a-z]{2}", but received "abc" @4:37+3',
  ]],
  ["a text with a line break", 'code: "ab\\n"', [
    'tasks[0].code: must match "[a-z]{2}", but received "ab\\n" @4:37+6',
  ]],
  ["a date", "date: 2026-01-31", []],
  ["a date and time", "date: '2026-01-31T12:00:00Z'", []],
  ["a date with offset and zone", "date: '2026-01-31T12:00:00+01:00[Europe/Paris]'", []],
  ["a text that is no date", "date: yesterday", [
    'tasks[0].date: must be an ISO 8601 date and time such as "2026-01-31T12:00:00Z", but received "yesterday" @4:37+9',
  ]],
  ["a month that does not exist", "date: '2026-13-01'", [
    'tasks[0].date: must be an ISO 8601 date and time such as "2026-01-31T12:00:00Z", but received "2026-13-01" @4:37+12',
  ]],
  ["a number as date", "date: 2026", [
    'tasks[0].date: must be an ISO 8601 date and time such as "2026-01-31T12:00:00Z", but received 2026 @4:37+4',
  ]],
  ["a map where it may be a text", "mapOrText: {a: 1}", []],
  ["a text where a map is expected", "mapOrText: '{\"a\": 1}'", []],
  ["a list where it may be a map or a text", "mapOrText: [1]", [
    "tasks[0].mapOrText: must be an object, but received a list @4:42+3",
  ]],
  ["a long text where a list is expected", "listOrText: abcdef", [
    "tasks[0].listOrText: size must be between 0 and 4 @4:43+6",
  ]],
  ["a map where it may be a list", "values: {a: 1}", []],
  ["a number where it may be a list or a map", "values: 3", [
    "tasks[0].values: must be a list, but received 3 @4:39+1",
  ]],
  ["a list of maps", "maps: [{a: 1}, {b: 2}]", []],
  ["a text among maps", "maps: [{a: 1}, b]", [
    'tasks[0].maps[1]: must be an object, but received "b" @4:46+1',
  ]],
  ["an object of anything", "free: {a: {b: [c]}}", []],
  ["a text as object", "free: x", ['tasks[0].free: must be an object, but received "x" @4:37+1']],
  ["an object", "options: {size: 1, mode: A}", []],
  ["an object without a required member", "options: {mode: B}", [
    "tasks[0].options.size: must not be null @4:40+9",
  ]],
  ["an object with a wrong member", "options: {size: 1, mode: C}", [
    'tasks[0].options.mode: must be one of "A", "B", but received "C" @4:56+1',
  ]],
  ["an object with a misspelt value", "options: {size: 1, mode: a}", [
    'tasks[0].options.mode: must be one of "A", "B", but received "a" @4:56+1',
  ]],
  ["an object with an unknown member", "options: {size: 1, sise: 2}", [
    'tasks[0].options.sise: Unrecognized field "sise", did you mean "size" @4:50+4',
  ]],
  ["an object with an empty member", "options: {size: }", [
    "tasks[0].options.size: must not be null @4:47+1",
  ]],
  ["a list as object", "options: [1]", ["tasks[0].options: must be an object, but received a list @4:40+3"]],
  ["null as object", "options: null", []],
  ["an expression in an object that is not dynamic", "options: {size: '{{ 1 }}'}", [
    'tasks[0].options.size: must be a whole number, but received "{{ 1 }}" @4:47+9',
  ]],
  ["an expression in a dynamic object", "dynamicObject: {size: '{{ 1 }}'}", []],
  ["a wrong member of a dynamic object", "dynamicObject: {size: x}", [
    'tasks[0].dynamicObject.size: must be a whole number, but received "x" @4:53+1',
  ]],
  ["a broken expression in a dynamic object, told once", "dynamicObject: {size: '{{ 1 + }}'}", [
    'warning tasks[0].dynamicObject.size: Expected an expression, found "}}" in the expression `{{ 1 + }}` at line 1 @4:53+11',
  ]],
  ["a variant", "shape: {type: circle, radius: 2}", []],
  ["a variant without its member", "shape: {type: circle}", [
    "tasks[0].shape.radius: must not be null @4:38+14",
  ]],
  ["a variant with the member of another", "shape: {type: circle, radius: 1, side: 2}", [
    'tasks[0].shape.side: Unrecognized field "side" @4:64+4',
  ]],
  ["an unknown variant", "shape: {type: oval, radius: 1}", [
    'tasks[0].shape.type: must be one of "circle", "square", but received "oval" @4:45+4',
  ]],
  ["a misspelt variant", "shape: {type: circel, radius: 1}", [
    'tasks[0].shape.type: must be one of "circle", "square", but received "circel" @4:45+6',
  ]],
  ["no variant", "shape: {radius: 1}", ["tasks[0].shape.type: must not be null @4:38+11"]],
  ["an empty object where variants are", "shape: {}", ["tasks[0].shape.type: must not be null @4:38+2"]],
  ["a variant called like a prototype's", "shape: {type: constructor}", [
    'tasks[0].shape.type: must be one of "circle", "square", but received "constructor" @4:45+11',
  ]],
  ["the default variant", "shapes: [{name: a}]", []],
  ["several variants", "shapes: [{name: a}, {type: line, to: 3}, {type: dot}]", []],
  ["a wrong variant in a list", "shapes: [{type: line}, {type: dot, to: 1}]", [
    "tasks[0].shapes[0].to: must not be null @4:40+12",
    'tasks[0].shapes[1].to: Unrecognized field "to" @4:66+2',
  ]],
  ["null in a list of objects", "shapes: [null]", ["tasks[0].shapes[0]: must not be null @4:40+4"]],
  ["a text in a list of objects", "shapes: [x]", [
    'tasks[0].shapes[0]: must be an object, but received "x" @4:40+1',
  ]],
  ["a property", "current: 1", []],
  ["a property by another name", "older: 1", [
    'warning tasks[0].older: is replaced by "current", use that name @4:31+5',
  ]],
  ["a wrong property by another name", "oldest: x", [
    'warning tasks[0].oldest: is replaced by "current", use that name @4:31+6',
    'tasks[0].oldest: must be a whole number, but received "x" @4:39+1',
  ]],
  ["a property by two names", "current: 1, older: 2", [
    'tasks[0].older: cannot be given together with "current": both mean the same @4:43+5',
    'warning tasks[0].older: is replaced by "current", use that name @4:43+5',
  ]],
  ["a null property by two names", "current: null, older: 2", [
    'warning tasks[0].older: is replaced by "current", use that name @4:46+5',
  ]],
  ["a deprecated property", "outdated: x", [
    "warning tasks[0].outdated: is deprecated: use `current` @4:31+8",
  ]],
  ["a wrong deprecated property", "outdated: [x]", [
    "warning tasks[0].outdated: is deprecated: use `current` @4:31+8",
    "tasks[0].outdated: must be a text, but received a list @4:41+3",
  ]],
  ["an ignored property", "unused: {a: 1}", [
    "warning tasks[0].unused: has no effect on this server and is ignored @4:31+6",
  ]],
  ["an ignored property of any kind", "unused: 3", [
    "warning tasks[0].unused: has no effect on this server and is ignored @4:31+6",
  ]],
  ["a wrong planned property", "later: x", [
    'tasks[0].later: must be a whole number, but received "x" @4:38+1',
  ]],
  ["a wrong planned member", "options: {size: 1, later: x}", [
    'tasks[0].options.later: must be true or false, but received "x" @4:57+1',
  ]],
  ["a planned property without effect", "later: false", []],
  ["a condition", "condition: {type: core.condition.Expression, expression: x}", []],
  ["a text as condition", "condition: x", [
    'tasks[0].condition: must be a condition, but received "x" @4:42+1',
  ]],
  ["conditions", "conditions: [{type: core.condition.Expression, expression: x}]", []],
  ["null among conditions", "conditions: [null]", ["tasks[0].conditions[0]: must not be null @4:44+4"]],
  ["a list as map of conditions", "named: []", [
    "tasks[0].named: must be an object of conditions, but received a list @4:38+2",
  ]],
  ["a wrong condition in a map", "named: {a: {type: core.condition.Expression}}", [
    "tasks[0].named.a.expression: must not be null @4:42+33",
  ]],
];

/** A task whose only property has an older name. */
const ALIASED: Rows = [
  ["by its name", "{id: a, type: test.Aliased, current: x}", []],
  ["by its older name", "{id: a, type: test.Aliased, older: x}", [
    'warning tasks[0].older: is replaced by "current", use that name @4:31+5',
  ]],
  ["missing", "{id: a, type: test.Aliased}", ["tasks[0].current: must not be null @4:3+27"]],
  ["null by both names", "{id: a, type: test.Aliased, current: , older: }", [
    "tasks[0].current: must not be null @4:40+1",
    'warning tasks[0].older: is replaced by "current", use that name @4:42+5',
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
