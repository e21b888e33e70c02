/** Chance that can be repeated: the same seed gives the same draws. */

/** Draws from a seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** In [min, max). */
  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** True with that probability. */
  holds(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of them; `undefined` of none. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.next() * items.length)];
  }

  /** One of them, as often as its weight says. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let at = this.next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) if ((at -= weight) < 0) return item;
    return (items[items.length - 1] as readonly [number, T])[1];
  }

  /** Fills a buffer, two bytes with a draw. */
  fill(buffer: Uint8Array<ArrayBuffer>): void {
    for (let at = 0; at < buffer.length; at += 2) {
      const draw = Math.floor(this.next() * 65_536);
      buffer[at] = draw;
      buffer[at + 1] = draw >> 8;
    }
  }

  /** Fills a buffer for ids: a draw chooses all of its bytes. */
  fillQuickly(buffer: Uint8Array<ArrayBuffer>): void {
    let bits = Math.floor(this.next() * 2 ** 32) | 1;
    for (let at = 0; at < buffer.length; at++) {
      // Xorshift32.
      bits ^= bits << 13;
      bits ^= bits >>> 17;
      bits ^= bits << 5;
      buffer[at] = bits;
    }
  }

  /** Another source of chance, so that what runs side by side does not change each other's draws. */
  fork(): Chance {
    return new Chance(this.next() * 2 ** 32);
  }
}
