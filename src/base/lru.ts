/** Caches bounded by the weight of their values. */

/**
 * The value not used for longest goes first. For some thousands of values at most: each one dropped costs a look past the places of those
 * dropped before (48 µs with 80,000 values).
 */
export class LruCache<K, V> {
  readonly #entries = new Map<K, { value: V; weight: number }>();
  readonly #maxWeight: number;
  #weight = 0;

  /** `maxWeight` in the unit that the callers of {@link set} use, for example bytes. */
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

  /** Stores a value; one heavier than the whole cache is not kept. */
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

  /** Forgets a key. */
  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#weight -= entry.weight;
    this.#entries.delete(key);
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}

/**
 * Keeps what was used lately, more roughly and a third as dear to write as {@link LruCache}: two generations, of which the older goes as a
 * whole once the younger weighs half of all. A value is kept through the next `maxWeight / 2` of other values at least.
 */
export class RecentCache<K, V extends object> {
  readonly #maxYoung: number;
  readonly #weigh: (value: V) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;

  /** All values together weigh `maxWeight` at most, by `weigh`, which must give the same for a value each time. */
  constructor(maxWeight: number, weigh: (value: V) => number) {
    this.#maxYoung = maxWeight / 2;
    this.#weigh = weigh;
  }

  /** The value, which counts as just used. */
  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Stores a value; one heavier than half the cache is not kept. */
  set(key: K, value: V): void {
    const weight = this.#weigh(value);
    if (weight > this.#maxYoung) return this.delete(key);
    // What the key had before weighs on until its generation goes: taking it off would cost a look-up.
    this.#weight += weight;
    if (this.#weight > this.#maxYoung) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = weight;
    }
    this.#young.set(key, value);
  }

  /** Forgets a key. */
  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** Forgets everything. */
  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#weight = 0;
  }
}
