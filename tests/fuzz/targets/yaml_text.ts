/** Data as YAML: what a text holds can be written and read again. */
import { stringifyJson } from "../../../src/base/json.ts";
import { parseYaml, yamlText } from "../../../src/languages/yaml/mod.ts";
import type { Chance } from "../../crash/chance.ts";
import { derive, type Grammar } from "../grammar.ts";
import { mutate, type Spares } from "../mutate.ts";
import { attempt, expect, type Input, shown, type Target } from "../target.ts";
import { isExpressionError } from "./scope.ts";

const SCALARS = [
  ..."1 -0 1.50 1e3 0x1F 0o17 .inf .nan true yes null ~ 2026-01-31 1:30 a 'it''s' *x &x !!str".split(" "),
  '"q\\n\\x41"',
  "'",
  '""',
  "a b",
  "&x 1",
  "- a",
  "? k",
  "k: v",
  "#c",
  "|\n  a\n  b",
  ">-\n  a\n\n  b",
  "123456789012345678901",
];
const GRAMMAR: Grammar = {
  doc: ["<flow>", "<entry>\n<entry>\n<entry>", "<item>\n<item>", "--- <flow>\n", "<item>\n  <item>\n<entry>"],
  entry: ["<key>: <flow>", "<key>:\n  <entry2>", "<key>:\n- <flow>\n- <flow>", "<<: *x", "<key>: &x <flow>"],
  entry2: ["<key>: <flow>\n  b: <flow>", "- <flow>\n  - <flow>"],
  item: ["- <flow>", "- <key>: <flow>\n  c: <flow>", "- - <flow>"],
  key: ["a", "b", "'c d'", "1", "__proto__", "true", "null", '"e"', "? f\n", "[g]"],
  flow: ["<scalar>", "<scalar>", "<scalar>", "[<flow>, <flow>]", "{<key>: <flow>, z: <flow>}", "&x [<flow>]"],
  scalar: SCALARS,
};
const SPARES: Spares = {
  corpus: SCALARS,
  tokens: [...SCALARS, ..."[ ] { } , : - ? | > # % @ ` ! & * --- ... \t".split(" ")],
};

function generate(chance: Chance): Input {
  const text = derive(GRAMMAR, "doc", chance);
  return [chance.holds(0.4) ? text : mutate(text, chance, SPARES)];
}

function check([text = ""]: Input): void {
  const value = attempt(() => parseYaml(text), isExpressionError);
  const written = value === undefined ? undefined : attempt(() => yamlText(value), isExpressionError);
  if (value === undefined || written === undefined) return;
  const before = stringifyJson(value), after = stringifyJson(parseYaml(written));
  expect(
    before === after,
    () => `Read ${shown(before)}, written ${shown(written)}, read again ${shown(after)}`,
  );
}

/** YAML texts of data. */
export const yamlTextTarget: Target = { name: "yamltext", generate, check };
