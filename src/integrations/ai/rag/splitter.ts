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

/** Segments of at most `maxChars` characters; a part that is longer is split at the next finer level. */
export function split(text: string, { splitter, maxChars, overlapChars }: SplitOptions): string[] {
  const level = splitter === "RECURSIVE" ? 0 : ORDER.indexOf(splitter);
  const segments = merged(text, level, maxChars - overlapChars);
  return segments.map((segment, index) => {
    const tail = index === 0 ? "" : lastSentences(segments[index - 1] ?? "", overlapChars);
    return tail === "" ? segment : `${tail} ${segment}`.slice(0, maxChars);
  });
}

function merged(text: string, level: number, maxChars: number): string[] {
  const name = ORDER[level];
  if (name === undefined) return slices(text, maxChars);
  const { pattern, joint } = LEVELS[name];
  const segments: string[] = [];
  let open = "";
  for (const part of text.split(pattern).map((each) => each.trim()).filter(Boolean)) {
    const joined = open === "" ? part : open + joint + part;
    if (joined.length <= maxChars) {
      open = joined;
      continue;
    }
    if (open !== "") segments.push(open);
    const pieces = part.length <= maxChars ? [part] : merged(part, level + 1, maxChars);
    open = pieces.pop() ?? "";
    segments.push(...pieces);
  }
  return open === "" ? segments : [...segments, open];
}

function slices(text: string, size: number): string[] {
  return Array.from(
    { length: Math.ceil(text.length / size) },
    (_each, index) => text.slice(index * size, (index + 1) * size),
  );
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
