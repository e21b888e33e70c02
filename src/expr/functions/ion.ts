/** `fromIon`: Ion text → data. */
import type { JsonValue } from "../../base/json.ts";
import type { Context } from "../context.ts";
import type { Arguments, FunctionEntry } from "../entry.ts";
import { fail } from "../errors.ts";
import { parseIonText } from "../ion/reader.ts";
import { kindOf } from "../print.ts";

/** Functions on Ion; null passes through. */
export const ION_FUNCTIONS: readonly FunctionEntry[] = [
  ["fromIon", { parameters: ["ion"], required: 1, call: fromIon }],
];

function fromIon([text = null]: Arguments, context: Context): JsonValue {
  if (text === null) return null;
  if (typeof text !== "string") return fail("type", `Cannot read ${kindOf(text)} as Ion: strings only`);
  context.spend(text.length >>> 5);
  return parseIonText(text);
}
