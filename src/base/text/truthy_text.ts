/** Truth of rendered texts, for `runIf` and `when`, and of flags that may be texts. */
import type { JsonValue } from "../json.ts";

/** False for the empty text, `false`, `0` and `-0`, without surrounding blanks; true for any other. */
export function isTruthyText(text: string): boolean {
  const trimmed = text.trim();
  return trimmed !== "" && trimmed !== "false" && trimmed !== "0" && trimmed !== "-0";
}

/** A flag, or its text: true for `true` only; `fallback` when absent. */
export function isFlagSet(flag: JsonValue | undefined, fallback = false): boolean {
  return flag === undefined || flag === null ? fallback : String(flag).trim().toLowerCase() === "true";
}
