/** Parses JSON of any size in turns, between which other work runs: 64 MiB with decimals take seconds. */
import { type JsonValue, NUMBER_KINDS, tryParseJson, tryParsePlainJson } from "./json.ts";
import { type NumberReader, readJsonTextInTurns } from "./json_reader.ts";
import { systemClock } from "./time/clock.ts";
import { Turns } from "./time/turn.ts";

/** A shorter text is parsed at once, which takes some 50 ms at most. */
const SHORT_CHARS = 512 * 1024;
const TURN_MS = 10;
/** Values that are read before the clock is: a fraction of a millisecond. */
const VALUES_AT_ONCE = 1_000;
/** Each may take 200 bytes, as a list of one item does. */
const MAX_VALUES = 4_000_000;
/** Numbers as `JSON.parse` reads them. */
const PLAIN_NUMBERS: NumberReader = { fraction: (value) => value, large: Number };

/** The value of a text; `undefined` for one that is not JSON. @throws Error it has too many values */
export async function tryParseLongJson(text: string): Promise<JsonValue | undefined> {
  return text.length <= SHORT_CHARS ? tryParseJson(text) : await readInTurns(text, NUMBER_KINDS);
}

/** As {@link tryParseLongJson}, with the numbers of {@link tryParsePlainJson}. */
export async function tryParseLongPlainJson(text: string): Promise<JsonValue | undefined> {
  return text.length <= SHORT_CHARS ? tryParsePlainJson(text) : await readInTurns(text, PLAIN_NUMBERS);
}

/** As {@link tryParseJson}, for a text that is short: the reason of a refusal. `undefined` for a long one, too. */
export function tryParseShortJson(text: string): JsonValue | undefined {
  return text.length <= SHORT_CHARS ? tryParseJson(text) : undefined;
}

async function readInTurns(text: string, numbers: NumberReader): Promise<JsonValue | undefined> {
  const turns = new Turns(systemClock, TURN_MS);
  let left = MAX_VALUES;
  const next = async () => {
    left -= VALUES_AT_ONCE;
    if (left < 0) {
      throw new Error(`Cannot read the JSON: it has more than ${MAX_VALUES} values; ask for fewer at a time`);
    }
    await turns.next();
  };
  try {
    return await readJsonTextInTurns(text, numbers, { values: VALUES_AT_ONCE, next }) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
