/** Selects the first lines in an order without keeping all lines in memory. */
import type { Instant } from "../../base/clock.ts";
import type { LogPlace } from "../../model/executions/log_query.ts";
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

function compare(a: LogPlace, b: LogPlace): number {
  if (a.key !== b.key) return a.key - b.key;
  if (a.executionId !== b.executionId) return a.executionId < b.executionId ? -1 : 1;
  return a.number - b.number;
}
