/** Which items of a file are the last ones of their keys. */
import { createHash } from "node:crypto";

/** Longer keys are held as digests of this length. */
const MAX_KEY_CHARS = 44;

/** Takes the keys of items in their order, and holds each once. */
export class LastItems {
  readonly #maxKeys: number;
  readonly #lastByKey = new Map<string, number>();
  #count = 0;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  /** Items so far. */
  get count(): number {
    return this.#count;
  }

  /** Adds the next item. @throws Error there are too many keys */
  add(key: string): void {
    const held = key.length < MAX_KEY_CHARS ? key : createHash("sha256").update(key).digest("base64");
    this.#lastByKey.set(held, this.#count++);
    if (this.#lastByKey.size > this.#maxKeys) {
      throw new Error(`Cannot deduplicate the items: they have more than ${this.#maxKeys} different keys`);
    }
  }

  /** Numbers of the last items, counted from 0. To be called after the last item. */
  numbers(): ReadonlySet<number> {
    return new Set(this.#lastByKey.values());
  }
}
