/** What is wrong with a source: its place, and what was meant. */
import type { Text } from "@codemirror/state";

/** A problem of a validation. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  readonly severity: string;
  /** From 1; absent if the problem has no place. */
  readonly line?: number;
  readonly column?: number;
  readonly length?: number;
}

const SUGGESTION = /did you mean "([^"]+)"/;

/** The text that the message suggests; `undefined` if it suggests nothing. */
export function suggestionOf({ message }: Problem): string | undefined {
  return SUGGESTION.exec(message)?.[1];
}

/** True if a source with these problems is a flow all the same. */
export function isUsable(problems: readonly Problem[]): boolean {
  return problems.every(({ severity }) => severity !== "error");
}

/** A line that begins a document, one that begins a further document, and one without content: as the server reads them. */
const MARKER = /^---(?=\s|$)/;
const NEXT_MARKER = /^---(?!-)/;
const BLANK = /^\s*(?:#.*)?$|^%/;

/** The first document of a source. */
interface FirstDocument {
  /** Its places are those of the source. */
  readonly text: string;
  /** The line of the marker of the next document, which a flow must not have. */
  readonly nextLine?: number;
}

/** Takes a source apart: the server checks each document of a text for itself, but saves only one. */
export function firstDocument(source: string): FirstDocument {
  const lines = source.split("\n");
  let hasBegun = false;
  for (const [index, line] of lines.entries()) {
    if (!(hasBegun ? NEXT_MARKER : MARKER).test(line)) {
      hasBegun ||= !BLANK.test(line);
      continue;
    }
    if (hasBegun) return { text: lines.slice(0, index).join("\n"), nextLine: index + 1 };
    hasBegun = true;
    lines[index] = `   ${line.slice(3)}`;
  }
  return { text: lines.join("\n") };
}

/** First offset and end of a problem; the first line for one without a place. */
export function rangeOf(
  { line = 1, column = 1, length = 0 }: Problem,
  doc: Text,
): { from: number; to: number } {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const start = Math.min(from + column - 1, to);
  // An empty range would not be visible.
  return { from: start, to: Math.min(doc.length, Math.max(start + length, Math.min(start + 1, to))) };
}
