/** Finding a text in a source. */

/** What is looked for. */
export interface Query {
  readonly text: string;
  readonly isRegExp: boolean;
  readonly isCaseSensitive: boolean;
  readonly isWholeWord: boolean;
}

/** A place where it is. */
export interface Match {
  readonly from: number;
  readonly to: number;
}

/** Further matches are neither counted nor marked. */
export const MAX_MATCHES = 5000;

/** The expression of a query; `undefined` for an empty one and for one that is not an expression. */
export function patternOf({ text, isRegExp, isCaseSensitive, isWholeWord }: Query): RegExp | undefined {
  if (text === "") return undefined;
  const body = isRegExp ? `(?:${text})` : text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const word = isWholeWord ? `(?<![\\p{L}\\p{N}_])${body}(?![\\p{L}\\p{N}_])` : body;
  try {
    return new RegExp(word, isCaseSensitive ? "gmu" : "gimu");
  } catch {
    return undefined;
  }
}

/** The matches in their order; empty ones do not count. */
export function matchesIn(source: string, pattern: RegExp): readonly Match[] {
  const found: Match[] = [];
  for (const { 0: { length }, index } of source.matchAll(pattern)) {
    if (length > 0) found.push({ from: index, to: index + length });
    if (found.length === MAX_MATCHES) break;
  }
  return found;
}

/** What replaces a match: for an expression, `$1`, `$&` and the like stand for what was found. */
export function replacementAt(source: string, { from }: Match, pattern: RegExp, replacement: string): string {
  const found = new RegExp(pattern, "imuy".replace(pattern.ignoreCase ? "" : "i", ""));
  found.lastIndex = from;
  const groups = found.exec(source) ?? [];
  return replacement.replace(/\$([$&]|\d)/g, (written, name: string) => {
    if (name === "$") return "$";
    return groups[name === "&" ? 0 : Number(name)] ?? written;
  });
}
