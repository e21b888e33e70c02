/** Splits documents into segments that are embedded one by one. */

/** Where a text is split, the coarsest first. */
const LEVELS = Object.freeze({
  PARAGRAPH: { pattern: /\n\s*\n/, joint: "\n\n" },
  LINE: { pattern: /\n/, joint: "\n" },
  SENTENCE: { pattern: /(?<=[.!?。！？])\s+/, joint: " " },
  WORD: { pattern: /\s+/, joint: " " },
});

const ORDER = ["PARAGRAPH", "LINE", "SENTENCE", "WORD"] as const;

/** Names of splitters; `RECURSIVE` is `PARAGRAPH`. */
export const SPLITTERS = ["RECURSIVE", ...ORDER] as const;

/** How documents are split. */
export interface SplitOptions {
  readonly splitter: typeof SPLITTERS[number];
  readonly maxChars: number;
  /** Characters of the end of a segment that the next one begins with, in whole sentences. */
  readonly overlapChars: number;
}

/** Segments of at most `maxChars` characters, one after another; a part that is longer is split at the next finer level. */
export function* split(
  text: string,
  { splitter, maxChars, overlapChars }: SplitOptions,
): Generator<string> {
  const level = splitter === "RECURSIVE" ? 0 : ORDER.indexOf(splitter);
  let tail = "";
  for (const segment of merged(text, level, maxChars - overlapChars)) {
    yield tail === "" ? segment : `${tail} ${segment}`.slice(0, maxChars);
    tail = lastSentences(segment, overlapChars);
  }
}

function* merged(text: string, level: number, maxChars: number): Generator<string> {
  const name = ORDER[level];
  if (name === undefined) return yield* slices(text, maxChars);
  const { pattern, joint } = LEVELS[name];
  let open = "";
  for (const part of text.split(pattern).map((each) => each.trim()).filter(Boolean)) {
    const joined = open === "" ? part : open + joint + part;
    if (joined.length <= maxChars) {
      open = joined;
      continue;
    }
    if (open !== "") yield open;
    open = "";
    for (const piece of part.length <= maxChars ? [part] : merged(part, level + 1, maxChars)) {
      if (open !== "") yield open;
      open = piece;
    }
  }
  if (open !== "") yield open;
}

function* slices(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

function lastSentences(text: string, maxChars: number): string {
  let tail = "";
  for (const sentence of text.split(LEVELS.SENTENCE.pattern).reverse()) {
    const longer = tail === "" ? sentence : `${sentence} ${tail}`;
    if (longer.length >= maxChars) break;
    tail = longer;
  }
  return tail;
}
