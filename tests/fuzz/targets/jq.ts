/** jq programs on values of every kind. */
import { compileTemplate, renderValue } from "../../../src/expr/mod.ts";
import type { Chance } from "../../crash/chance.ts";
import { derive } from "../grammar.ts";
import { JQ_GRAMMAR, JQ_TOKENS } from "../grammars/jq.ts";
import { mutate, type Spares } from "../mutate.ts";
import { attempt, expect, type Input, type Target } from "../target.ts";
import { expectSameVariables, fuzzScope, isExpressionError, VARIABLES } from "./scope.ts";

const CORPUS = [
  "[.[] | select(.a > 1) | {a, b: (.b // 0)}] | sort_by(.a) | group_by(.b) | map(length)",
  'reduce .[] as [$k, {v: $v}] ({}; .[$k] += $v) | with_entries(.value |= tostring) | to_entries | @json "x\\(.)"',
  "def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; [limit(5; range(10)) | fac] | add / length | floor",
  'try (.a.b[2:-1] |= map(. + 1)) catch "no: \\(.)" | path(..) | select(length > 1)',
  '[splits(", *"; "g")] | map(ascii_downcase | ltrimstr("x") | test("^(?<y>[a-z]+)\\\\d*$"; "xi"))',
  "label $out | foreach .[] as $item (0; . + 1; if . > 3 then ., break $out else empty end) | ., @base64 | @uri",
  '. as {a: $x, b: [$y]} ?// [$x, $y] | [$x, $y] | tojson | fromjson | getpath(["a", 0])? // null',
  'strptime("%Y-%m-%dT%H:%M:%SZ") | mktime | strftime("%A, %B %d, %Y") | limit(1; .. )',
  'walk(if type == "object" then del(.a) else . end) | paths(type == "number") | tostream | input?',
];
const SPARES: Spares = { corpus: CORPUS, tokens: JQ_TOKENS };
const VALUES = Object.keys(VARIABLES);
const TEMPLATE = "{{ v | jq(p) }}";

function generate(chance: Chance): Input {
  const derived = () => derive(JQ_GRAMMAR, "p", chance, 7);
  const corpus = () => mutate(chance.pick(CORPUS) ?? "", chance, SPARES);
  const program = chance.weighted([[3, derived], [2, corpus], [
    2,
    () => mutate(derived(), chance, SPARES),
  ]])();
  return [program, chance.pick(VALUES) ?? ""];
}

function check([program = "", name = ""]: Input): void {
  const scope = fuzzScope();
  const variable = (asked: string) =>
    asked === "p" ? program : scope.variable(asked === "v" ? name : asked) ?? null;
  const run = () => renderValue(compileTemplate(TEMPLATE), { ...scope, variable });
  const results = attempt(run, isExpressionError);
  const isList = results === undefined || results === null || Array.isArray(results);
  expect(isList, () => "The results are no list");
  expectSameVariables();
}

/** jq programs, each with the name of the variable that it runs on. */
export const jqTarget: Target = { name: "jq", generate, check };
