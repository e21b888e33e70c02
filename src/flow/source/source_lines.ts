/** Converts offsets of a text to lines and columns, both counted from 1. */
import type { SourceRange } from "../../model/flows/problem.ts";

/** Line starts of one text; computed when first needed. */
export class SourceLines {
  readonly #text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The part from `start` to before `end`, cut at the end of its first line; at least one character long. */
  range(start: number, end: number): SourceRange {
    const from = Math.min(Math.max(start, 0), this.#text.length);
    const line = this.#lineAt(from);
    const lineEnd = this.#endOf(line);
    const at = Math.min(from, lineEnd);
    const column = at - (this.#lineStarts()[line] as number) + 1;
    return { line: line + 1, column, length: Math.max(1, Math.min(end, lineEnd) - at) };
  }

  /** Offset at which the line of an offset begins. */
  lineStart(offset: number): number {
    return this.#lineStarts()[this.#lineAt(offset)] as number;
  }

  #endOf(line: number): number {
    const next = this.#lineStarts()[line + 1];
    if (next === undefined) return this.#text.length;
    return this.#text[next - 2] === "\r" ? next - 2 : next - 1;
  }

  #lineAt(offset: number): number {
    const starts = this.#lineStarts();
    let low = 0, high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #lineStarts(): number[] {
    if (this.#starts) return this.#starts;
    const starts = [0];
    for (let at = this.#text.indexOf("\n"); at >= 0; at = this.#text.indexOf("\n", at + 1)) {
      starts.push(at + 1);
    }
    this.#starts = starts;
    return starts;
  }
}
