/** Given values in messages. */
import { type JsonValue, stringifyJson } from "../../base/json.ts";
import { cutText } from "../schema/describe.ts";

/** The text of a scalar, or JSON; cut when it is long. */
export function shownValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return cutText(value);
  return typeof value === "object" ? cutText(stringifyJson(value)) : cutText(String(value));
}
