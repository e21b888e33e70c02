/** Truth of rendered texts, as `runIf` and conditions test it. */

/** False for the empty text, `false`, `0` and `-0`, blanks around them left out; true for any other. */
export function isTruthyText(text: string): boolean {
  const trimmed = text.trim();
  return trimmed !== "" && trimmed !== "false" && trimmed !== "0" && trimmed !== "-0";
}
