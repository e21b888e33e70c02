/** Which options of a completion match what was typed, and in which order they are offered. */

/** One thing that can be written. */
export interface Option {
  /** What is compared with the text unless there is `match`, and written unless there is `apply`. */
  readonly label: string;
  readonly match?: string;
  /** Shown in place of `label`. */
  readonly displayLabel?: string;
  readonly detail?: string;
  /** An explanation, shown while the option is chosen. */
  readonly info?: string;
  /** Written in place of `label`. */
  readonly apply?: string;
  /** Where the cursor is put within what was written; absent: behind it. */
  readonly cursor?: number;
  /** Puts the option before others that match as well. */
  readonly boost?: number;
}

/** More than a step of `boost`, which has at most three. */
const STEP = 10;
/** Words of a name: up to a dot, or from a capital letter on. */
const WORDS = /\.|[A-Z][^.A-Z]*|[^.A-Z]+/g;

/** The options that match, the best first: by how they match, by `boost`, by name. */
export function matchingOptions(options: readonly Option[], typed: string): readonly Option[] {
  const scored = options.flatMap((option) => {
    const score = matchOf(option.match ?? option.label, typed);
    return score === 0 ? [] : [{ option, score: score * STEP + (option.boost ?? 0) }];
  });
  scored.sort((a, b) => b.score - a.score || (a.option.label < b.option.label ? -1 : 1));
  return scored.map(({ option }) => option);
}

/** From 5 for a label that begins with the text to 1 for one that has its characters in their order; 0: no match. */
function matchOf(label: string, typed: string): number {
  const [all, wanted] = [label.toLowerCase(), typed.toLowerCase()];
  if (label.startsWith(typed)) return 5;
  if (all.startsWith(wanted)) return 4;
  if (all.includes(wanted)) return 3;
  if (hasInOrder(all, [...typed.matchAll(WORDS)].map(([word]) => word.toLowerCase()))) return 2;
  return hasInOrder(all, [...wanted]) ? 1 : 0;
}

function hasInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
