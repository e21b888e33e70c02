/** How large a value is. */
import { isJsonObject, type JsonValue } from "../base/json.ts";

/** Of each value, beside its texts. */
const VALUE_CHARS = 4;

/** Characters of the texts and names of a value, and 4 more for itself and for each value within it. */
export function sizeOf(value: JsonValue): number {
  if (typeof value === "string") return VALUE_CHARS + value.length;
  let chars = VALUE_CHARS;
  if (Array.isArray(value)) { for (const item of value) chars += sizeOf(item); }
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) chars += name.length + sizeOf(member);
  }
  return chars;
}
