/** Caches with a limit on the total weight of their values. */

/** Weight of a value whose key is a text of a client: 1 for each 4,096 characters that are begun. */
export function keyWeight(key: string): number {
  return 1 + Math.floor(key.length / 4_096);
}

/**
 * Evicts the least recently used value first. For a few thousand values at most: an eviction skips the slots of deleted keys
 * (48 µs with 80,000 values).
 */
export class LruCache<K, V> {
  readonly #entries = new Map<K, { value: V; weight: number }>();
  readonly #maxWeight: number;
  #weight = 0;

  /** `maxWeight` in the unit of the weights given to {@link set}, for example bytes. */
  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  /** The value, which becomes the most recently used. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Stores a value, unless it is heavier than the cache. */
  set(key: K, value: V, weight = 1): void {
    this.delete(key);
    if (weight > this.#maxWeight) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    while (this.#weight > this.#maxWeight) {
      const oldest = this.#entries.keys().next();
      if (oldest.done) break;
      this.delete(oldest.value);
    }
  }

  /** Removes a key. */
  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#weight -= entry.weight;
    this.#entries.delete(key);
  }

  /** Removes all keys. */
  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}

/**
 * Keeps recently used values in two generations; writes cost a third of {@link LruCache}. The older generation is dropped
 * when the younger one reaches `maxWeight / 2`, so that a value survives at least that much weight of other values.
 */
export class RecentCache<K, V extends object> {
  readonly #maxYoung: number;
  readonly #weigh: (value: V) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;

  /** `weigh` must return the same weight for a value each time. */
  constructor(maxWeight: number, weigh: (value: V) => number) {
    this.#maxYoung = maxWeight / 2;
    this.#weigh = weigh;
  }

  /** The value, which becomes recently used. */
  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Stores a value, unless it is heavier than half the cache. */
  set(key: K, value: V): void {
    const weight = this.#weigh(value);
    if (weight > this.#maxYoung) return this.delete(key);
    // A replaced value counts until its generation is dropped: subtracting it would cost a look-up.
    this.#weight += weight;
    if (this.#weight > this.#maxYoung) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = weight;
    }
    this.#young.set(key, value);
  }

  /** Removes a key. */
  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** Removes all keys. */
  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#weight = 0;
  }
}
