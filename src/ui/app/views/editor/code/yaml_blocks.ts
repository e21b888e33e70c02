/** Parts of a YAML source around a position, found by indentation. */
import type { Text } from "@codemirror/state";

/** Offsets of a part of a source. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_-]*/gu;
/** Spaces, dashes and a key before its value. */
const ENTRY = /^(\s*)((?:-\s+)*)((?:[\w.$/-]+|"[^"]*"|'[^']*'):\s+)?/;

/** What is indented further than a line, and what a list below its key has; `undefined`: nothing. */
export function blockBelow(doc: Text, number: number): TextRange | undefined {
  const line = doc.line(number);
  const indent = line.text.search(/\S/);
  if (indent < 0) return undefined;
  const isKey = /:\s*(?:#.*)?$/.test(line.text) && line.text[indent] !== "-";
  let end = line.to;
  for (let next = number + 1; next <= doc.lines; next++) {
    const { text, to } = doc.line(next);
    const column = text.search(/\S/);
    if (column < 0) continue;
    if (column < indent || (column === indent && !(isKey && /^\s*-(?:\s|$)/.test(text)))) break;
    end = to;
  }
  return end > line.to ? { from: line.to, to: end } : undefined;
}

/** The next larger part: the word, the value, the entry, the line, then each line above with what is below it, then all. */
export function partAround(doc: Text, { from, to }: TextRange): TextRange {
  for (const part of partsAt(doc, from)) {
    if (part.from <= from && part.to >= to && part.to - part.from > to - from) return part;
  }
  return { from: 0, to: doc.length };
}

/** From the smallest to the largest. */
function* partsAt(doc: Text, position: number): Generator<TextRange> {
  const line = doc.lineAt(position);
  for (const { index, 0: { length } } of line.text.matchAll(WORD)) {
    yield { from: line.from + index, to: line.from + index + length };
  }
  const [entry = "", spaces = "", dashes = ""] = ENTRY.exec(line.text) ?? [];
  for (const before of [entry, spaces + dashes, spaces]) {
    yield { from: line.from + before.length, to: line.from + line.text.trimEnd().length };
  }
  for (let { number } = line; number > 0; number--) {
    const { from, text } = doc.line(number);
    const below = blockBelow(doc, number);
    if (below) yield { from: from + text.search(/\S/), to: below.to };
  }
}
