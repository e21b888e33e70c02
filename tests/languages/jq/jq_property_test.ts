/** Random jq programs on random values: they end, with results or with one of our errors, and keep their laws. */
import fc from "fast-check";
import { assert, assertEquals } from "@std/assert";
import { type JsonValue, parseJson, stringifyJson } from "../../../src/base/json.ts";
import { compileTemplate, ExpressionError, renderValue } from "../../../src/expr/mod.ts";
import { scopeOf } from "../../expr/support.ts";

const RUNS = 3000;
const LAW_RUNS = 300;
const TEMPLATE = compileTemplate("{{ v | jq(p) }}");
const LIMITS = { maxSteps: 5_000, maxOutputLength: 100_000, maxRegexMoves: 100_000 };
const TOKENS = [
  ...'. .. .a .[] .[0] .[1:] [ ] { } ( ) | , : ; ? // ?// = |= += //= + - * / % == < and or not -1 1 2.5 1e3 " \\( $x as def f: f'
    .split(" "),
  ...'if then elif else end try catch reduce foreach label $l break import . | "a" "b" @csv @json @base64d null true'
    .split(" "),
];
const VALUES = [
  "null",
  "true",
  "1",
  "-2.5",
  '"a"',
  '""',
  "[]",
  "[1,[2]]",
  '{a:1,"b":[2]}',
  ".",
  ".a",
  ".[0]",
  ".[]",
  "..",
  "empty",
  "error",
  "nan",
  "infinite",
  "$x",
  "keys",
  "length",
  "tostring",
  "tojson",
  "add",
  "sort",
  "to_entries",
  "paths",
  "first",
  "last",
  "reverse",
  "flatten",
  "explode",
  "unique",
  "transpose",
  "type",
  "floor",
  "min",
  "any",
  "tostream",
  "todate",
  "gmtime",
  "combinations",
  "from_entries",
  "tonumber",
];
const ONE = [
  "map",
  "select",
  "path",
  "del",
  "with_entries",
  "map_values",
  "sort_by",
  "group_by",
  "first",
  "isempty",
  "recurse",
  "walk",
  "any",
  "range",
  "has",
  "contains",
  "inside",
  "split",
  "join",
  "test",
  "match",
  "scan",
  "ltrimstr",
  "getpath",
  "indices",
  "strftime",
  "strptime",
  "error",
  "paths",
  "fromstream",
  "splits",
  "pick",
  "flatten",
  "bsearch",
  "delpaths",
  "repeat",
  "limit(3; repeat",
];
const TWO = [
  "limit",
  "until",
  "while",
  "range",
  "setpath",
  "sub",
  "gsub",
  "first(limit",
  "pow",
  "IN",
  "INDEX",
  "recurse",
  "nth",
  "any",
];
const SIGNS = ["|", ",", "+", "-", "*", "/", "%", "//", "==", "<", "and", "or"];
const ASSIGNMENTS = ["=", "|=", "+=", "//=", "*="];

const program = fc.letrec((tie) => {
  const sub = tie("node") as fc.Arbitrary<string>;
  return {
    node: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      fc.constantFrom(...VALUES),
      fc.tuple(sub, fc.constantFrom(...SIGNS), sub).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      fc.tuple(sub, fc.constantFrom(...ASSIGNMENTS), sub).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      fc.tuple(fc.constantFrom(...ONE), sub).map(([name, a]) =>
        `${name}(${a})${name.includes("(") ? ")" : ""}`
      ),
      fc.tuple(fc.constantFrom(...TWO), sub, sub).map(([name, a, b]) =>
        `${name}(${a}; ${b})${name.includes("(") ? ")" : ""}`
      ),
      fc.tuple(sub, sub, sub).map(([a, b, c]) => `if ${a} then ${b} else ${c} end`),
      fc.tuple(sub, sub).map(([a, b]) => `(try ${a} catch ${b})`),
      fc.tuple(sub, sub, sub).map(([a, b, c]) => `reduce ${a} as $x (${b}; ${c})`),
      fc.tuple(sub, sub, sub).map(([a, b, c]) => `foreach ${a} as [$x] (${b}; ${c})`),
      fc.tuple(sub, sub).map(([a, b]) => `(${a} as $x | ${b})`),
      fc.tuple(sub, sub).map(([a, b]) => `(${a} as [$x] ?// {a: $x} | ${b})`),
      fc.tuple(sub, sub).map(([a, b]) => `(def f(g): ${a}; f(${b}))`),
      sub.map((a) => `(def f: ${a}, f; f)`),
      sub.map((a) => `[${a}]`),
      sub.map((a) => `{a: ${a}, "b\\(${a})": 1}`),
      sub.map((a) => `(label $l | ${a}, break $l)`),
      sub.map((a) => `"\\(${a})"`),
      sub.map((a) => `(${a})?`),
    ),
  };
}).node as fc.Arbitrary<string>;

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => parseJson(JSON.stringify(value)));

function run(source: string, value: JsonValue): JsonValue[] {
  const variables = { v: [value], p: `.[0] | (. as $x | ${source}\n)` };
  return renderValue(TEMPLATE, scopeOf(variables, { limits: LIMITS })) as JsonValue[];
}

function runs(source: string, value: JsonValue): void {
  try {
    assert(Array.isArray(run(source, value)));
  } catch (error) {
    assert(
      error instanceof ExpressionError,
      `${String(error)}\n${error instanceof Error ? error.stack : ""}`,
    );
  }
}

Deno.test("jq() throws nothing but ExpressionError on random tokens", () => {
  const soup = fc.array(fc.constantFrom(...TOKENS), { maxLength: 20 }).map((tokens) => tokens.join(" "));
  fc.assert(fc.property(soup, json, runs), { numRuns: RUNS, verbose: 1 });
});

Deno.test("jq() throws nothing but ExpressionError on random programs, and ends", () => {
  fc.assert(fc.property(program, json, runs), { numRuns: RUNS, verbose: 1 });
});

/** Programs that give their input back, or true. */
const LAWS: readonly (readonly [program: string, result: "same" | "true"])[] = [
  ["tojson | fromjson", "same"],
  ["[tostream] | fromstream(.[])", "same"],
  ["walk(.)", "same"],
  [". as $v | reduce paths as $p (.; setpath($p; $v | getpath($p)))", "same"],
  ["(.. | select(false)) |= error", "same"],
  [".. |= .", "same"],
  ['if type == "object" then with_entries(.) else . end', "same"],
  ['if type == "object" then to_entries | from_entries else . end', "same"],
  ['if type == "array" then reverse | reverse else . end', "same"],
  ["del(.. | select(false))", "same"],
  ['if type == "string" then explode | implode else . end', "same"],
  ['if type == "string" then @base64 | @base64d else . end', "same"],
  ['if type == "string" then split("") | join("") else . end', "same"],
  ["[paths] == [path(..) | select(length > 0)]", "true"],
  [". as $v | all(path(..); . as $p | $v | getpath($p) | true)", "true"],
  ['if type == "array" then (sort | . == sort) and (unique | . == unique) else true end', "true"],
  ['if type == "array" then (sort | length) == length else true end', "true"],
  ['if type == "array" then group_by(.) | add // [] | length else 0 end >= 0', "true"],
  ["[.. | scalars] | length <= ([1, 2] | length) or true", "true"],
  ["contains(.)", "true"],
  [". == .", "true"],
  ["[.] | bsearch(.[0]) == 0", "true"],
  ["length? // 0 | . >= 0", "true"],
];

for (const [source, expected] of LAWS) {
  Deno.test(`jq() ${source} holds for random values`, () => {
    const limits = { maxSteps: 1_000_000 };
    const holds = (value: JsonValue) => {
      const scope = scopeOf({ v: [value], p: `.[0] | ${source}` }, { limits });
      const result = renderValue(TEMPLATE, scope);
      assertEquals(stringifyJson(result), stringifyJson([expected === "same" ? value : true]));
    };
    fc.assert(fc.property(json, holds), { numRuns: LAW_RUNS, verbose: 1 });
  });
}
