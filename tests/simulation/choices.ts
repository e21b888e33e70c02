/**
 * Choices that can be repeated and made simpler: drawn from a seed, or taken from a list of earlier ones. Zero is always
 * the simplest choice, and beyond the end of a list all choices are zero: a shorter list is a simpler run.
 */
import { Chance } from "../crash/chance.ts";

/** Decides everything that is left to chance in one run. */
export class Choices {
  /** All choices so far, as numbers of at most 16 bits. */
  taken: number[] = [];
  readonly #next: () => number;

  private constructor(next: () => number) {
    this.#next = next;
  }

  /** The same seed gives the same choices. */
  static ofSeed(seed: number): Choices {
    const chance = new Chance(seed);
    return new Choices(() => Math.floor(chance.next() * 65_536));
  }

  /** Repeats those of a list; then all are zero. */
  static ofList(list: readonly number[]): Choices {
    let at = 0;
    return new Choices(() => list[at++] ?? 0);
  }

  /** Goes on with what comes next, forgetting what was taken. */
  fresh(): this {
    this.taken = [];
    return this;
  }

  /** A whole number from 0, below `count`. */
  below(count: number): number {
    const drawn = this.#next();
    this.taken.push(drawn);
    return drawn % count;
  }

  /** True in that many of 100 cases; false is simpler. */
  happens(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  /** One of them; the first is the simplest. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** One of them, as often as its weight says; the first is the simplest. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let at = this.below(items.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, item] of items) if ((at -= weight) < 0) return item;
    return (items[0] as readonly [number, T])[1];
  }
}
