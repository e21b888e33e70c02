/** JSON of any size in turns, between which everything else goes on: 64 MiB with decimals take seconds. */
import { type JsonValue, NUMBER_KINDS, tryParseJson } from "./json.ts";
import { readJsonTextInTurns } from "./json_reader.ts";
import { systemClock } from "./time/clock.ts";
import { Turns } from "./time/turn.ts";

/** A shorter text is parsed at once, which takes some 50 ms at most. */
const SHORT_CHARS = 512 * 1024;
const TURN_MS = 10;
/** Values that are read before the clock is: a fraction of a millisecond. */
const VALUES_AT_ONCE = 1_000;

/** The value of a text; `undefined` for one that is not JSON. */
export async function tryParseLongJson(text: string): Promise<JsonValue | undefined> {
  if (text.length <= SHORT_CHARS) return tryParseJson(text);
  const turns = new Turns(systemClock, TURN_MS);
  try {
    const reading = { values: VALUES_AT_ONCE, next: () => turns.next() };
    return await readJsonTextInTurns(text, NUMBER_KINDS, reading) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
