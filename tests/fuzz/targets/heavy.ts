/** Large values: whatever is done with them, time has a bound. */
import type { JsonValue } from "../../../src/base/json.ts";
import { compileTemplate, renderText } from "../../../src/expr/mod.ts";
import type { Chance } from "../../crash/chance.ts";
import { derive, type Grammar } from "../grammar.ts";
import { JQ_GRAMMAR } from "../grammars/jq.ts";
import { TEMPLATE_GRAMMAR } from "../grammars/template.ts";
import type { Input, Target } from "../target.ts";
import { expectPlace, fuzzScope, isExpressionError } from "./scope.ts";

const numbers = Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 100_003);
const words = numbers.map((number) => `w${number} `);

/** What the templates see. */
const VALUES: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["text", "a".repeat(1_000_000)],
  ["words", words.join("").slice(0, 1_000_000)],
  ["digits", "1234567890".repeat(100_000)],
  ["numbers", numbers],
  ["texts", words],
  ["lists", numbers.slice(0, 20_000).map((number) => [number, `v${number}`])],
  ["map", Object.fromEntries(words.slice(0, 50_000).map((word, index) => [word, index]))],
  ["maps", numbers.slice(0, 20_000).map((number) => ({ k: number % 100, v: [number] }))],
  ["json", JSON.stringify(numbers)],
  ["yaml", words.slice(0, 20_000).map((word, index) => `k${index}: ${word}`).join("\n")],
  ["spaces", " \n".repeat(200_000)],
  ["brackets", "[".repeat(500_000)],
  ["braces", "{{".repeat(250_000)],
  ["accents", "e\u0301İß😀".repeat(100_000)],
]);

const NAMES = [...VALUES.keys()];
const GRAMMAR: Grammar = {
  ...TEMPLATE_GRAMMAR,
  name: NAMES,
  atom: ["<name>", "<name>", "<name>", "<number>", "<text>", "k"],
};

function generate(chance: Chance): Input {
  if (chance.holds(0.2)) {
    const program = derive(JQ_GRAMMAR, "p", chance, 4).replaceAll("'", "");
    return [`{{ ${chance.pick(NAMES)} | jq('${program.replaceAll("\\", "\\\\")}') | length }}`];
  }
  return [
    chance.holds(0.7) ? `{{ ${derive(GRAMMAR, "e", chance, 4)} }}` : derive(GRAMMAR, "part", chance, 5),
  ];
}

function check([source = ""]: Input): void {
  try {
    renderText(compileTemplate(source), { ...fuzzScope(), variable: (name) => VALUES.get(name) });
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    if (!source.includes("render")) expectPlace(error, source);
  }
}

/** Templates over large values. */
export const heavyTarget: Target = { name: "heavy", generate, check };
