/** Given values as messages repeat them. */
import { type JsonValue, stringifyJson } from "../../base/json.ts";
import { cutText } from "../schema/describe.ts";

/** Text of a value: as it is, or as JSON; the end of a long one is cut. */
export function shownValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return cutText(value);
  return typeof value === "object" ? cutText(stringifyJson(value)) : cutText(String(value));
}
