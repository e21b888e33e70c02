/** Every operation on values is charged in proportion to their sizes, or is known to take the same time for all sizes. */
import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import {
  BUILT_IN_FUNCTION_NAMES,
  compileTemplate,
  DEFAULT_LIMITS,
  FILTER_NAMES,
  renderValue,
  TEST_NAMES,
} from "../../src/expr/mod.ts";
import { METHOD_NAMES } from "../../src/expr/methods.ts";
import { OPERATIONS } from "../../src/expr/operators.ts";
import { RenderTime } from "../../src/expr/render_time.ts";
import { scopeOf } from "./support.ts";

/** The same for values of any size, also for the result; each name with the reason. */
const CONSTANT: Readonly<Record<string, string>> = {
  "filter abs": "one number",
  "filter className": "looks at the kind only",
  "filter numberFormat": "one number, and a pattern of a bounded length",
  "filter timestamp": "one date",
  "filter timestampMilli": "one date",
  "filter timestampMicro": "one date",
  "filter timestampNano": "one date",
  "function block": "its body is charged",
  "function uuid": "16 bytes",
  "function id": "22 characters",
  "function ksuid": "27 characters",
  "function randomInt": "one number",
  "function randomPort": "one number",
  "function max": "one number for each argument in the source",
  "function min": "one number for each argument in the source",
  "function printContext": "gives the values of root variables as they are",
  "function fetchContext": "gives the values of root variables as they are",
  "function currentEachOutput": "one member for each enclosing loop",
  "function parentOutput": "one member",
  "function appLink": "is refused",
  "test null": "looks at the kind only",
  "test even": "one number",
  "test odd": "one number",
  "test iterable": "looks at the kind only",
  "test map": "looks at the kind only",
  "test defined": "looks at the kind only",
  "operator -": "one number; of a list see below",
  "operator *": "one number",
  "operator /": "one number",
  "operator %": "one number",
  "operator <": "one number",
  "operator >": "one number",
  "operator <=": "one number",
  "operator >=": "one number",
  "text method length": "is stored",
  "text method isEmpty": "the length is stored",
  "text method charAt": "one character",
  "text method substring": "the platform refers to the text",
  "list method size": "is stored",
  "list method length": "is stored",
  "list method isEmpty": "the length is stored",
  "list method get": "one element",
  "map method get": "one member; the key is charged",
  "map method getOrDefault": "one member; the key is charged",
  "map method containsKey": "one member; the key is charged",
  "number method intValue": "one number",
  "number method longValue": "one number",
  "number method doubleValue": "one number",
};

/** An expression for each operation, on values that grow: `text`, `list`, `texts`, `map`, `json`, `ion`, `big`. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...["upper", "lower", "trim", "capitalize", "title", "nl2br", "slugify", "string", "urlencode"],
      ...["urldecode", "base64encode", "md5", "sha1", "sha256", "sha512"],
    ].map((name) => [`filter ${name}`, `text | ${name}`]),
  ),
  ...Object.fromEntries(
    ["length", "first", "last", "join", "sort", "rsort", "reverse", "flatten", "distinct"].map((
      name,
    ) => [`filter ${name}`, `texts | ${name}`]),
  ),
  ...Object.fromEntries(
    ["keys", "values", "toJson", "json", "yaml", "toIon"].map((name) => [`filter ${name}`, `map | ${name}`]),
  ),
  "filter base64decode": "base64 | base64decode",
  "filter abbreviate": "text | abbreviate(10)",
  "filter startsWith": "text | startsWith(text)",
  "filter endsWith": "text | endsWith(text)",
  "filter substringBefore": "text | substringBefore('~')",
  "filter substringBeforeLast": "text | substringBeforeLast('~')",
  "filter substringAfter": "text | substringAfter('~')",
  "filter substringAfterLast": "text | substringAfterLast('~')",
  "filter indent": "text | indent(1)",
  "filter nindent": "text | nindent(1)",
  "filter format": "text | format(1)",
  "filter default": "map | default(1)",
  "filter slice": "texts | slice(1)",
  "filter chunk": "texts | chunk(2)",
  "filter merge": "map | merge(map)",
  "filter number": "digits | number ?? 1",
  "filter jq": "list | jq('length')",
  "filter escapeChar": "texts | escapeChar('single')",
  "filter regexMatch": "text | regexMatch('~')",
  "filter regexReplace": "text | regexReplace('a', 'b')",
  "filter regexExtract": "text | regexExtract('~')",
  "filter split": "text | split('a')",
  "filter replace": "text | replace({'a': 'b'})",
  "filter date": "date | date(format)",
  "filter dateAdd": "date | dateAdd(1, 'DAYS', format)",
  "function range": "range(1, size)",
  "function now": "now(format)",
  "function fromJson": "fromJson(json)",
  "function json": "json(json)",
  "function yaml": "yaml(json)",
  "function fromIon": "fromIon(json)",
  "function nanoId": "nanoId(10, text)",
  "function encrypt": "encrypt(key, text)",
  "function decrypt": "decrypt(key, encrypted)",
  "function render": "render(list)",
  "function renderOnce": "renderOnce(list)",
  "function iterationOutput": "iterationOutput('loop', 1)",
  "function loopOutputs": "loopOutputs(texts, 'x')",
  "test empty": "map is empty",
  "test json": "json is json",
  "operator +": "text + text",
  "operator ~": "text ~ map",
  "operator ==": "map == map2",
  "operator !=": "text != text2",
  "operator contains": "text contains '~'",
  "operator isIn": "'~' isIn map",
  "operator ..": "1..size",
  "text method isBlank": "text.isBlank",
  "text method toUpperCase": "text.toUpperCase()",
  "text method toLowerCase": "text.toLowerCase",
  "text method trim": "text.trim()",
  "text method strip": "text.strip()",
  "text method contains": "text.contains('~')",
  "text method startsWith": "text.startsWith(text)",
  "text method endsWith": "text.endsWith(text)",
  "text method indexOf": "text.indexOf('~')",
  "text method lastIndexOf": "text.lastIndexOf('~')",
  "text method equals": "text.equals(text2)",
  "text method equalsIgnoreCase": "text.equalsIgnoreCase(text2)",
  "text method concat": "text.concat('~')",
  "text method replace": "text.replace('a', 'b')",
  "text method split": "text.split('a')",
  "list method contains": "list.contains(-1)",
  "list method indexOf": "list.indexOf(-1)",
  "map method size": "map.size()",
  "map method isEmpty": "map.isEmpty()",
  "map method keySet": "map.keySet()",
  "map method values": "map.values()",
  "map method entrySet": "map.entrySet()",
  "map method containsValue": "map.containsValue(-1)",
};

/** Further ways to work on large values. */
const FURTHER: readonly string[] = [
  "list - list[0]",
  "list - list",
  "list contains list",
  "list | distinct",
  "map.get(text)",
  "map.getOrDefault(text, 1)",
  "map.containsKey(text)",
  '"a#{map}b"',
  "[1, 2] | join(text)",
  "'%.0s' | format(map)",
  "map ~ ''",
  "[text] == [text2]",
  "text isIn [text2]",
  "[text, text2] | sort",
  "host(map)",
  "host(text)",
];

const SMALL = 20_000, LARGE = 80_000;
/** One step for each 256 characters, less what rounding takes. */
const LEAST_STEPS = (LARGE - SMALL) / 256 / 2;

/** Counts the steps that templates are charged. */
class Counter extends RenderTime {
  steps = 0;

  constructor() {
    super({ monotonicMs: () => 0 }, 1);
  }

  override spend(steps: number): void {
    this.steps += steps;
  }
}

function valuesOf(size: number): JsonObject {
  const texts = Array.from({ length: size }, (_, i) => String((i * 7919) % size));
  const list = Array.from({ length: size }, (_, i) => i);
  const mapOf = () => Object.fromEntries(texts.map((text) => [`k${text}`, text]));
  const text = "a b\nc".repeat(size / 5);
  return {
    ...{ size, text, list, texts, map: mapOf(), map2: mapOf(), json: JSON.stringify(texts) },
    text2: `${text.slice(1)}a`,
    base64: btoa(text),
    digits: `${" ".repeat(size)}1`,
    date: "2024-05-06T07:08:09Z",
    format: `'${"x".repeat(size)}'`,
    key: btoa("x".repeat(32)),
    encrypted: btoa("x".repeat(size)),
    outputs: { loop: mapOf() },
    task: { id: "loop" },
    taskrun: { value: "1", iteration: 1 },
  };
}

const VALUES = new Map([SMALL, LARGE].map((size) => [size, valuesOf(size)]));

function stepsOf(expression: string, size: number): number {
  const time = new Counter();
  const host = { parameters: ["value"], call: () => 1 };
  const functions = new Map([["host", host]]);
  const limits = { maxSteps: Infinity, maxRangeLength: DEFAULT_LIMITS.maxRangeLength };
  const scope = scopeOf(VALUES.get(size), { time, functions, limits });
  try {
    renderValue(compileTemplate(`{{ ${expression} }}`), scope);
  } catch (error) {
    // A refusal after the charge, as of a text that is too long, is as good as a result.
    if (!/too long|pattern|not of that key|Cannot read/.test((error as Error).message)) throw error;
  }
  return time.steps;
}

const NAMES = [
  ...FILTER_NAMES.map((name) => `filter ${name}`),
  ...BUILT_IN_FUNCTION_NAMES.map((name) => `function ${name}`),
  ...TEST_NAMES.map((name) => `test ${name}`),
  ...[...OPERATIONS.keys()].map((name) => `operator ${name}`),
  ...Object.entries(METHOD_NAMES).flatMap(([kind, names]) => names.map((name) => `${kind} method ${name}`)),
];

Deno.test("each filter, function, test, operator and method is charged by size or known to be constant", () => {
  const isKnown = (name: string) => Object.hasOwn(EXPRESSIONS, name) !== Object.hasOwn(CONSTANT, name);
  assertEquals(NAMES.filter((name) => !isKnown(name)), []);
  assertEquals(
    [...Object.keys(EXPRESSIONS), ...Object.keys(CONSTANT)].filter((name) => !NAMES.includes(name)),
    [],
  );
});

for (const expression of [...Object.values(EXPRESSIONS), ...FURTHER]) {
  Deno.test(`the steps of {{ ${expression} }} grow with its values`, () => {
    const small = stepsOf(expression, SMALL), large = stepsOf(expression, LARGE);
    assert(large - small >= LEAST_STEPS, `${small} steps for ${SMALL}, ${large} for ${LARGE}`);
  });
}

Deno.test("a part of a template that is repeated is charged by its number of expressions", () => {
  const stepsOfBody = (body: string) => stepsOf(`1 }}{% for i in 1..100 %}${body}{% endfor %}{{ 1`, SMALL);
  const list = `{% set x = [${"1, ".repeat(1_600)}1] %}`, tests = "{% if false %}{% endif %}".repeat(1_600);
  for (const body of [list, tests]) assert(stepsOfBody(body) >= 100 * 100, body.slice(0, 20));
  const macro = `{% macro m() %}${tests}{% endmacro %}{% for i in 1..100 %}{{ m() }}{% endfor %}`;
  const block = `{% block "b" %}${tests}{% endblock %}{% for i in 1..100 %}{{ block("b") }}{% endfor %}`;
  const later =
    `{% for i in 1..100 %}{% block "b" %}{% endblock %}{% endfor %}{% block "b" %}${tests}{% endblock %}`;
  for (const source of [macro, block, later]) {
    assert(stepsOf(`1 }}${source}{{ 1`, SMALL) >= 100 * 100, source.slice(0, 20));
  }
});

Deno.test("the filter yaml is charged for indents", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}text${"]".repeat(depth)} | yaml`;
  const lines = SMALL / 5, indent = 2 * 90;
  assert(stepsOf(nested(90), SMALL) - stepsOf(nested(1), SMALL) >= lines * indent / 64);
});

/** Dates whose names the platform looks for, with the least number of steps. */
const NAMED_DATES: readonly (readonly [expression: string, steps: number])[] = [
  [`0 | date('${"z,".repeat(100)}')`, 1_000],
  [`0 | date('${"[v]".repeat(60)}')`, 600],
  [`0 | date('${"MMMM,".repeat(40)}')`, 100],
  ["0 | date('full')", 16],
  [`0 | dateAdd(1, 'DAYS', '${"EEEE,".repeat(40)}')`, 100],
  [`now('${"z,".repeat(100)}')`, 1_000],
  [`'${"May".repeat(10)}' | date('yyyy', existingFormat='${"[MMMM]".repeat(10)}')`, 200],
];

for (const [expression, steps] of NAMED_DATES) {
  Deno.test(`{{ ${expression.slice(0, 40)}… }} is charged for the names of the date`, () => {
    const numbers = stepsOf("0 | date('yyyy-MM-dd HH:mm:ss')", SMALL);
    const found = stepsOf(expression, SMALL);
    assert(found - numbers >= steps, `${found} steps, ${numbers} for a date of numbers`);
  });
}
