/** The regular expressions of JSONata, as the package uses those of the platform. */
import { Regex } from "../../../languages/regex/mod.ts";

/** Steps of one search, about a second. */
const MAX_MOVES = 10_000_000;

/**
 * In place of `RegExp`, which takes exponential time for some patterns and cannot be interrupted: Deno leaves a thread that is busy
 * when it is terminated to itself. Patterns are those of Java, as in other expressions.
 */
export class BoundedRegExp {
  lastIndex = 0;
  readonly #regex: Regex;

  /** @throws ExpressionError the pattern is unknown to Java */
  constructor({ source, ignoreCase, multiline }: RegExp) {
    const flags = `${ignoreCase ? "i" : ""}${multiline ? "m" : ""}`;
    this.#regex = new Regex(flags === "" ? source : `(?${flags})${source}`);
  }

  /** The next match, with its groups, as of `RegExp` with the flag `g`. @throws ExpressionError it takes too many steps */
  exec(text: string): ({ readonly index: number } & readonly (string | undefined)[]) | null {
    const match = this.#regex.find(text, this.lastIndex, { moves: MAX_MOVES, maxLength: 0 });
    this.lastIndex = match?.end ?? 0;
    return match ? Object.assign([...match.groups], { index: match.start }) : null;
  }
}
