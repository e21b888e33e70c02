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

/** New lines that are sorted at once: the others are in order already, and sorting 200,000 takes a second on a busy machine. */
const MAX_NEW_LINES = 4_096;

/**
 * Keeps the first `wanted` lines; at most twice as many in memory. If their messages are too long together, the longest
 * ones are shortened, all to the same length.
 */
export class TopLines {
  readonly #descending: boolean;
  readonly #wanted: number;
  /** In order, at most `wanted`. */
  #sorted: PlacedLine[] = [];
  /** In no order. */
  #new: PlacedLine[] = [];
  #chars = 0;
  #maxMessageChars = Infinity;

  constructor(descending: boolean, wanted: number) {
    this.#descending = descending;
    this.#wanted = wanted;
  }

  /** Number of lines, at most `wanted`. */
  get count(): number {
    return Math.min(this.#sorted.length + this.#new.length, this.#wanted);
  }

  /** Adds a line. */
  offer(line: PlacedLine): void {
    const last = this.#sorted[this.#wanted - 1];
    if (last && comesAfter(line, last, this.#descending)) return;
    const kept = shortened(line, this.#maxMessageChars);
    this.#new.push(kept);
    this.#chars += kept.line.message.length;
    if (this.#new.length >= Math.min(this.#wanted, MAX_NEW_LINES)) this.#merge();
    if (this.#chars > MAX_KEPT_CHARS && this.#maxMessageChars > MIN_MESSAGE_CHARS) this.#shorten();
  }

  /** Number of kept lines before that time in the order. */
  countBefore(bound: Instant): number {
    let count = 0;
    for (const lines of [this.#sorted, this.#new]) {
      for (const { key } of lines) if (this.#isBefore(key, bound)) count++;
    }
    return count;
  }

  /** Drops the lines from that time on: lines in between may not have been offered. */
  keepBefore(bound: Instant): void {
    this.#merge();
    this.#sorted = this.#sorted.filter(({ key }) => this.#isBefore(key, bound));
  }

  /** The lines from `offset` on, in order. */
  take(offset: number, size: number): PlacedLine[] {
    this.#merge();
    return this.#sorted.slice(offset, offset + size);
  }

  #isBefore(key: Instant, bound: Instant): boolean {
    return this.#descending ? key > bound : key < bound;
  }

  #merge(): void {
    if (this.#new.length === 0) return;
    const sign = this.#descending ? -1 : 1;
    const added = this.#new.sort((a, b) => sign * compare(a, b));
    const before = this.#sorted;
    const merged: PlacedLine[] = [];
    for (let at = 0, from = 0; merged.length < this.#wanted;) {
      const known = before[at], line = added[from];
      if (line && (!known || comesAfter(known, line, this.#descending))) {
        merged.push(line);
        from++;
      } else if (known) {
        merged.push(known);
        at++;
      } else break;
    }
    this.#sorted = merged;
    this.#new = [];
    this.#count();
  }

  /** Drops the lines that are not wanted; if that is not enough, halves the longest messages. */
  #shorten(): void {
    this.#merge();
    while (this.#chars > SHORTENED_CHARS && this.#maxMessageChars > MIN_MESSAGE_CHARS) {
      this.#maxMessageChars = Math.max(
        MIN_MESSAGE_CHARS,
        Math.min(this.#maxMessageChars, MAX_LOG_LINE_CHARS) / 2,
      );
      this.#sorted = this.#sorted.map((line) => shortened(line, this.#maxMessageChars));
      this.#count();
    }
  }

  #count(): void {
    this.#chars = this.#sorted.reduce((sum, { line }) => sum + line.message.length, 0);
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
