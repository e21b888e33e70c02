/** `fromIon`: Ion text → data. */
import type { JsonValue } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { type Arguments, booleanArgument, type FunctionEntry } from "../entry.ts";
import { fail, kindOf } from "../../languages/values/mod.ts";
import { IonError, parseIonRows, parseIonText } from "../../languages/ion/mod.ts";

/** Functions on Ion; null passes through. */
export const ION_FUNCTIONS: readonly FunctionEntry[] = [
  ["fromIon", { parameters: ["ion", "allRows"], required: 1, call: fromIon }],
];

/** The first value of a text, or all values as a list. */
function fromIon([text = null, allRows]: Arguments, context: Context): JsonValue {
  if (text === null) return null;
  if (typeof text !== "string") return fail("type", `Cannot read ${kindOf(text)} as Ion: strings only`);
  context.spend(text.length >>> 5);
  const isList = booleanArgument(allRows, "allRows", false);
  try {
    return isList ? parseIonRows(text) : parseIonText(text);
  } catch (error) {
    // The reader reports a malformed text by throwing.
    if (!(error instanceof IonError)) throw error;
    return fail(error.code === "limit" ? "limit" : "argument", error.message);
  }
}
