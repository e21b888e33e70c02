/** Cron expressions, durations and time zones: texts that a schedule holds. */
import { parseDuration } from "../../../src/base/time/duration.ts";
import { cronMistake } from "../../../src/languages/cron/mod.ts";
import type { Chance } from "../../crash/chance.ts";
import { derive } from "../grammar.ts";
import { CRON_GRAMMAR } from "../grammars/texts.ts";
import { mutate, type Spares } from "../mutate.ts";
import { expect, type Input, type Target } from "../target.ts";

const SPARES: Spares = {
  corpus: ["0 9 * * MON-FRI", "*/5 0-10/2 1,15 JAN-DEC 0", "PT1H30M", "P1DT-2.5S"],
  tokens: [..."* / - , ? L W # @ MON 0 99 P T H M S D . \t \u00a0".split(" ")],
};

/** Numbers of hundreds of digits are infinite. */
const MAX_DURATION_LENGTH = 100;

function generate(chance: Chance): Input {
  const text = derive(CRON_GRAMMAR, "cron", chance);
  const damaged = chance.holds(0.5)
    ? mutate(chance.holds(0.3) ? chance.pick(SPARES.corpus) ?? "" : text, chance, SPARES)
    : text;
  return [damaged, chance.holds(0.3) ? "seconds" : ""];
}

function check([text = "", seconds = ""]: Input): void {
  const mistake = cronMistake(text, seconds !== "");
  expect(mistake === undefined || mistake.length > 0, () => "A mistake without a text");
  const ms = parseDuration(text);
  expect(
    ms === undefined || !Number.isNaN(ms) || text.length > MAX_DURATION_LENGTH,
    () => "A duration that is no number",
  );
}

/** A text, and whether it has a field for seconds. */
export const cronTarget: Target = { name: "cron", generate, check };
