/** `fromIon`: Ion text → data. */
import type { JsonValue } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { type Arguments, booleanArgument, type FunctionEntry } from "../entry.ts";
import { fail } from "../../languages/values/errors.ts";
import { parseIonRows, parseIonText } from "../../languages/ion/reader.ts";
import { kindOf } from "../../languages/values/print.ts";

/** Functions on Ion; null passes through. */
export const ION_FUNCTIONS: readonly FunctionEntry[] = [
  ["fromIon", { parameters: ["ion", "allRows"], required: 1, call: fromIon }],
];

/** The first value of a text, or all of them as a list. */
function fromIon([text = null, allRows]: Arguments, context: Context): JsonValue {
  if (text === null) return null;
  if (typeof text !== "string") return fail("type", `Cannot read ${kindOf(text)} as Ion: strings only`);
  context.spend(text.length >>> 5);
  return booleanArgument(allRows, "allRows", false) ? parseIonRows(text) : parseIonText(text);
}
