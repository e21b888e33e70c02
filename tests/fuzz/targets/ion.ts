/** Ion texts: what can be read can be written and read again. */
import { stringifyJson } from "../../../src/base/json.ts";
import { IonError, ionText, parseIonText } from "../../../src/languages/ion/mod.ts";
import type { Chance } from "../../crash/chance.ts";
import { derive } from "../grammar.ts";
import { ION_GRAMMAR } from "../grammars/texts.ts";
import { mutate, type Spares } from "../mutate.ts";
import { attempt, expect, type Input, shown, type Target } from "../target.ts";
import { isExpressionError } from "./scope.ts";

const SPARES: Spares = {
  corpus: [
    "{a: [1, 2.5e0, x::\"y\"], 'b c': (1 + 2), d: 2024-02-03T04:05:06Z}",
    '[null.int, {{ YWJj }}, """, ]',
  ],
  tokens: [
    ..."{ } [ ] ( ) , : :: ' \" ''' {{ }} \\ \\x4 \\u \\U0010FFFF \\UFFFFFFFF // /* */ null. $ion_1_0 - +"
      .split(" "),
  ],
};

function generate(chance: Chance): Input {
  const text = derive(ION_GRAMMAR, "v", chance);
  return [chance.holds(0.4) ? text : mutate(text, chance, SPARES)];
}

function check([text = ""]: Input): void {
  const value = attempt(() => parseIonText(text), (error) => error instanceof IonError);
  if (value === undefined) return;
  const written = attempt(() => ionText(value), isExpressionError);
  if (written === undefined) return;
  const before = stringifyJson(value), after = stringifyJson(parseIonText(written));
  expect(
    before === after,
    () => `Read ${shown(before)}, written ${shown(written)}, read again ${shown(after)}`,
  );
}

/** Ion texts. */
export const ionTarget: Target = { name: "ion", generate, check };
