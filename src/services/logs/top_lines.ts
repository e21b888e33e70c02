/** Selects the first lines in an order without keeping all lines in memory. */
import type { Instant } from "../../base/time/clock.ts";
import type { LogPlace } from "../../model/executions/log_query.ts";
import { shortenedText } from "../../model/executions/shortened_value.ts";
import { MAX_LOG_LINE_CHARS } from "../../model/limits.ts";
import type { Execution, LogLine } from "../../model/executions/execution.ts";

/** A line and its place in the order. */
export interface PlacedLine extends LogPlace {
  readonly execution: Execution;
  readonly line: LogLine;
}

/** True if the first place comes after the second one. */
export function comesAfter(a: LogPlace, b: LogPlace, descending: boolean): boolean {
  const order = compare(a, b);
  return descending ? order < 0 : order > 0;
}

/** Characters of the messages of the lines that are kept. */
const MAX_KEPT_CHARS = 16 * 1024 * 1024;
/** What is left of it after lines were shortened, so that this happens rarely. */
const SHORTENED_CHARS = MAX_KEPT_CHARS * 3 / 4;
/** Messages up to this length are never shortened. */
const MIN_MESSAGE_CHARS = 512;

/**
 * Keeps the first `wanted` lines; at most twice as many in memory. If their messages are too long together, the longest
 * ones are shortened, all to the same length.
 */
export class TopLines {
  readonly #descending: boolean;
  readonly #wanted: number;
  #lines: PlacedLine[] = [];
  #chars = 0;
  #maxMessageChars = Infinity;

  constructor(descending: boolean, wanted: number) {
    this.#descending = descending;
    this.#wanted = wanted;
  }

  /** Number of lines, at most `wanted`. */
  get count(): number {
    return Math.min(this.#lines.length, this.#wanted);
  }

  /** Adds a line. */
  offer(line: PlacedLine): void {
    const kept = shortened(line, this.#maxMessageChars);
    this.#lines.push(kept);
    this.#chars += kept.line.message.length;
    if (this.#lines.length >= 2 * this.#wanted) this.#prune();
    if (this.#chars > MAX_KEPT_CHARS && this.#maxMessageChars > MIN_MESSAGE_CHARS) this.#shorten();
  }

  /** Number of kept lines before that time in the order. */
  countBefore(bound: Instant): number {
    let count = 0;
    for (const { key } of this.#lines) if (this.#isBefore(key, bound)) count++;
    return count;
  }

  /** Drops the lines from that time on: lines in between may not have been offered. */
  keepBefore(bound: Instant): void {
    this.#lines = this.#lines.filter(({ key }) => this.#isBefore(key, bound));
  }

  /** The lines from `offset` on, in order. */
  take(offset: number, size: number): PlacedLine[] {
    this.#prune();
    return this.#lines.slice(offset, offset + size);
  }

  #isBefore(key: Instant, bound: Instant): boolean {
    return this.#descending ? key > bound : key < bound;
  }

  #prune(): void {
    const sign = this.#descending ? -1 : 1;
    this.#lines.sort((a, b) => sign * compare(a, b));
    if (this.#lines.length <= this.#wanted) return;
    this.#lines.length = this.#wanted;
    this.#count();
  }

  /** Drops the lines that are not wanted; if that is not enough, halves the longest messages. */
  #shorten(): void {
    this.#prune();
    while (this.#chars > SHORTENED_CHARS && this.#maxMessageChars > MIN_MESSAGE_CHARS) {
      this.#maxMessageChars = Math.max(
        MIN_MESSAGE_CHARS,
        Math.min(this.#maxMessageChars, MAX_LOG_LINE_CHARS) / 2,
      );
      this.#lines = this.#lines.map((line) => shortened(line, this.#maxMessageChars));
      this.#count();
    }
  }

  #count(): void {
    this.#chars = this.#lines.reduce((sum, { line }) => sum + line.message.length, 0);
  }
}

function shortened(placed: PlacedLine, maxChars: number): PlacedLine {
  const { line } = placed;
  const message = shortenedText(line.message, maxChars);
  return message === line.message ? placed : { ...placed, line: { ...line, message } };
}

function compare(a: LogPlace, b: LogPlace): number {
  if (a.key !== b.key) return a.key - b.key;
  if (a.executionId !== b.executionId) return a.executionId < b.executionId ? -1 : 1;
  return a.number - b.number;
}
