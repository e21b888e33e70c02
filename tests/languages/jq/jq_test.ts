/** jq programs: what they give, what they refuse, and where they end. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { type JsonValue, parseJson, stringifyJson } from "../../../src/base/json.ts";
import { compileTemplate, ExpressionError, renderValue } from "../../../src/expr/mod.ts";
import { JQ_ROWS } from "./jq_rows.ts";
import { evaluateRow, scopeOf } from "../../expr/support.ts";

const TEMPLATE = compileTemplate("{{ data.input | jq(program) }}");

/** The results of a program; it sees `[input]`, so that null and texts reach it as they are. */
function results(program: string, input: JsonValue): JsonValue[] {
  const wrapped = `.[0] | (${program}\n)`;
  return renderValue(TEMPLATE, scopeOf({ data: { input: [input] }, program: wrapped })) as JsonValue[];
}

for (const [program, input, expected] of JQ_ROWS) {
  Deno.test(`jq() ${program} on ${input}`, () => {
    assertEquals(results(program, parseJson(input)).map((value) => stringifyJson(value)).join(" "), expected);
  });
}

const REFUSED: readonly (readonly [program: string, code: string])[] = [
  ["1 +", "syntax"],
  ["(", "syntax"],
  ["if 1 then", "syntax"],
  ['"abc', "syntax"],
  ["{a", "syntax"],
  ["[1", "syntax"],
  [".[", "syntax"],
  ["1 2", "syntax"],
  ["def f: 1", "syntax"],
  [".a.", "syntax"],
  [". as $x", "syntax"],
  ["|1", "syntax"],
  ["@", "syntax"],
  ["$", "syntax"],
  ["%", "syntax"],
  ["try", "syntax"],
  ["reduce 1 as $x", "syntax"],
  ["label $x", "syntax"],
  ['"\\x"', "syntax"],
  ["1 == 1 == 1", "syntax"],
  [".a = 1 = 2", "syntax"],
  ["..a", "syntax"],
  ['"\\(1;2)"', "syntax"],
  ["then", "syntax"],
  ['import "a" as a; 1', "syntax"],
  ["{(1)}", "syntax"],
  ["break $x", "argument"],
  ["foo", "argument"],
  ["foo(1)", "argument"],
  ["$foo", "argument"],
  ["$__prog_args", "argument"],
  ["@foo", "argument"],
  ["input", "argument"],
  ["[inputs]", "argument"],
  ["halt", "argument"],
  ['halt_error("x")', "argument"],
  ["get_search_list", "argument"],
  ["error(null)", "argument"],
  ['error("x")', "argument"],
  ["error({a: 1})", "argument"],
  [".a.b | {}.[0]", "argument"],
  ["path(1)", "argument"],
  ["1 / 0", "argument"],
  ["[] - 1", "argument"],
  ['"a" | test("(")', "argument"],
  ['"a" | test("a"; "q")', "argument"],
  ["any", "argument"],
  ["1 as [$a] | $a", "argument"],
  ["1 as {a: $a} | $a", "argument"],
  ["{} | to_entries | .[0].a.b | tojson | fromjson | keys", "argument"],
];

for (const [program, code] of REFUSED) {
  Deno.test(`jq() ${program} is refused, code ${code}`, () => {
    const error = assertThrows(
      () => evaluateRow("{{ [null] | jq(program) }}", { program: `.[0] | ${program}` }),
      ExpressionError,
    );
    assertEquals(error.code, code);
  });
}

/** Programs without end, or with a result without measure. */
const ENDLESS = [
  "range(1e12)",
  "[range(1e12)]",
  "repeat(1)",
  "[repeat(.)]",
  "last(range(1e9))",
  "recurse(.)",
  "[recurse(.)]",
  "[recurse(., .)]",
  "def f: f; f",
  "def f: [f]; f",
  "def f(x): f(x | x); f(.)",
  "def f: ., f; f",
  "until(false; .)",
  "while(true; .)",
  "[while(true; ., .)]",
  'reduce range(1000) as $i ("x"; . + .)',
  "reduce range(1000) as $i ([1]; . + .)",
  "reduce range(1000) as $i ([1]; [., .])",
  "reduce range(10000) as $i (1; [.])",
  "[1, 1] | [combinations(40)]",
  "first(repeat(empty))",
  "isempty(repeat(empty))",
  ".[1e8] = 1",
  '"x" * 1e9',
  "[range(3000)] | combinations(3)",
  "(".repeat(300),
  "-".repeat(5000) + "1",
  ".a" + "?".repeat(2000),
  "#".repeat(30_000),
];

for (const program of ENDLESS) {
  Deno.test(`jq() ${program.slice(0, 60)} ends at a limit`, () => {
    const limits = { maxSteps: 50_000 };
    const scope = scopeOf({ program: `.[0] | ${program}`, v: [null] }, { limits });
    const run = () => renderValue(compileTemplate("{{ v | jq(program) }}"), scope);
    assertEquals(assertThrows(run, ExpressionError).code, "limit");
  });
}

const RENDERED: readonly (readonly [template: string, data: string, expected: string])[] = [
  ["{{ v | jq('.a') }}", '{"v":{"a":1}}', "[1]"],
  ["{{ v | jq('.a') }}", '{"v":"{\\"a\\": [1, 2.0]}"}', "[[1,2.0]]"],
  ["{{ v | jq('.') }}", '{"v":null}', ""],
  ["{{ v | jq('.a') }}", '{"v":{}}', "[null]"],
  ["{{ v | jq('empty') }}", '{"v":{}}', "[]"],
  ["{{ v | jq('.[]') | first }}", '{"v":[7,8]}', "7"],
  ["{{ v | jq(expression='.[1:]') }}", '{"v":[7,8,9]}', "[[8,9]]"],
  ["{{ v | jq(p) }}", '{"v":[1],"p":".[0] + 1"}', "[2]"],
  ["{{ v | jq('.x, .y') }}", '{"v":{"x":12345678901234567890,"y":2.50}}', "[12345678901234567890,2.5]"],
  ["{{ v | jq('.x + 1') }}", '{"v":{"x":9007199254740993}}', "[9007199254740994]"],
  ["{{ v | jq('.x * 2') }}", '{"v":{"x":1.5}}', "[3]"],
  ["{{ v | jq('nan, infinite') }}", '{"v":[]}', "[null,1.7976931348623157e+308]"],
  ["{{ v | jq('now') }}", '{"v":[]}', "[1714979289.123]"],
];

for (const [template, data, expected] of RENDERED) {
  Deno.test(`jq() ${template} over ${data} prints ${expected}`, () => {
    const variables = parseJson(data) as Record<string, JsonValue>;
    const value = evaluateRow(template, variables);
    assertEquals(value === null ? "" : stringifyJson(value), expected);
  });
}

Deno.test("jq() treats names of prototypes as ordinary names", () => {
  assertEquals(results('.__proto__, .constructor, has("toString")', {}), [null, null, false]);
  const [made] = results('{"__proto__": {"x": 1}} | .["__proto__"].y = 2 | ., .x', null);
  assert(Object.hasOwn(made as object, "__proto__"));
  assertEquals(stringifyJson(made), '{"__proto__":{"x":1,"y":2}}');
  assertEquals(({} as Record<string, unknown>).y, undefined);
  assertEquals(results('[{key: "__proto__", value: 1}] | from_entries | keys', null), [["__proto__"]]);
});

Deno.test("jq() refuses an input that is not JSON, and quotes the failing program", () => {
  const bad = assertThrows(() => evaluateRow("{{ '{' | jq('.') }}"), ExpressionError);
  assertEquals(bad.code, "argument");
  assertThrows(() => evaluateRow("{{ [1] | jq('.[0].a') }}"), ExpressionError, '".[0].a"');
  assertThrows(() => evaluateRow("{{ [1] | jq('.[') }}"), ExpressionError, '".["');
});

Deno.test("jq() does not change its input", () => {
  const input = parseJson('{"a":[1,{"b":2}],"c":{"d":3}}') as Record<string, JsonValue>;
  const before = stringifyJson(input);
  results(".a[1].b = 9 | .c.d |= .+1 | del(.a[0]) | (.a, .c) |= [., .] | .a[0][0] = 5", input);
  assertEquals(stringifyJson(input), before);
});

Deno.test("jq() never changes shared values in place", () => {
  assertEquals(results("(.a.b, .a, .a[0].b) |= [., .]", null).map((value) => stringifyJson(value)), [
    '{"a":[{"b":[[null,null],[null,null]]},{"b":[null,null]}]}',
  ]);
});
