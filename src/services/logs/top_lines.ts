/** Selects the first lines in an order without keeping all lines in memory. */
import type { Instant } from "../../base/clock.ts";
import type { LogPlace } from "../../model/executions/log_query.ts";
import type { Execution, LogLine } from "../../model/executions/execution.ts";

/** A line and its sort keys. */
export interface PlacedLine {
  /** The time of the line, at most the end of its execution. */
  readonly key: Instant;
  readonly execution: Execution;
  readonly line: LogLine;
  /** Position among the lines of its execution, from 1. */
  readonly number: number;
}

/** True if a line comes after a place in the order. */
export function comesAfter(
  { key, execution, number }: PlacedLine,
  place: LogPlace,
  descending: boolean,
): boolean {
  const difference = key - place.key || compareTexts(execution.id, place.executionId) ||
    number - place.number;
  return descending ? difference < 0 : difference > 0;
}

/** Keeps the first `wanted` lines; at most twice as many in memory. */
export class TopLines {
  readonly #descending: boolean;
  readonly #wanted: number;
  #lines: PlacedLine[] = [];

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
    this.#lines.push(line);
    if (this.#lines.length >= 2 * this.#wanted) this.#prune();
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
    if (this.#lines.length > this.#wanted) this.#lines.length = this.#wanted;
  }
}

function compare(a: PlacedLine, b: PlacedLine): number {
  if (a.key !== b.key) return a.key - b.key;
  return compareTexts(a.execution.id, b.execution.id) || a.number - b.number;
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
