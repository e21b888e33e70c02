/** Java regular expressions that must match the whole of a text, in time that grows with the text and never faster. */
import { DEFAULT_LIMITS, ExpressionError } from "../values/mod.ts";
import { Regex } from "./regex.ts";

/** What is wrong with a pattern, or `undefined` when it can be used. */
export function patternMistake(pattern: string): string | undefined {
  const compiled = compile(pattern);
  return compiled instanceof Regex ? undefined : compiled.reason;
}

/** True when the pattern matches all of the text; a reason when that cannot be told. */
export function matchesPattern(pattern: string, text: string): boolean | { readonly reason: string } {
  const regex = compile(pattern);
  if (!(regex instanceof Regex)) return regex;
  return guarded(() => {
    const match = regex.find(text, 0, { moves: DEFAULT_LIMITS.maxRegexMoves, maxLength: 0 });
    return match !== undefined;
  });
}

function compile(pattern: string): Regex | { readonly reason: string } {
  return guarded(() => {
    new Regex(pattern); // alone first: a bracket too many must not pair with the ones around it
    return new Regex(`\\A(?:${pattern})\\z`);
  });
}

/** The engine reports patterns and texts that it cannot work on by throwing. */
function guarded<T>(run: () => T): T | { readonly reason: string } {
  try {
    return run();
  } catch (error) {
    if (error instanceof ExpressionError) return { reason: error.reason };
    throw error;
  }
}
