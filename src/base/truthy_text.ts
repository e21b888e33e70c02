/** Truth of texts: of rendered ones, as `runIf` and conditions test it, and of flags that may be written as texts. */
import type { JsonValue } from "./json.ts";

/** False for the empty text, `false`, `0` and `-0`, blanks around them left out; true for any other. */
export function isTruthyText(text: string): boolean {
  const trimmed = text.trim();
  return trimmed !== "" && trimmed !== "false" && trimmed !== "0" && trimmed !== "-0";
}

/** A flag that may have been written or rendered as a text: true for `true` alone; `fallback` where there is none. */
export function isFlagSet(flag: JsonValue | undefined, fallback = false): boolean {
  return flag === undefined || flag === null ? fallback : String(flag).trim().toLowerCase() === "true";
}
