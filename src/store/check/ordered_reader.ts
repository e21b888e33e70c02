/** Reads the keys of one kind beside the executions they belong to; both are in the order of the ids. */
import type { StoredEntry } from "../store.ts";

/** Gives the entries of one execution at a time, in rising order. */
export class OrderedReader {
  readonly #entries: AsyncIterator<StoredEntry>;
  #next: StoredEntry | undefined;
  #isStarted = false;

  constructor(entries: AsyncIterable<StoredEntry>) {
    this.#entries = entries[Symbol.asyncIterator]();
  }

  /** The entries of the owners before `id`; all that are left without `id`. */
  async *before(id: string | undefined): AsyncGenerator<StoredEntry> {
    await this.#start();
    while (this.#next && (id === undefined || ownerOf(this.#next) < id)) yield await this.#take();
  }

  /** The entries of an owner, once those before it were read. */
  async *of(id: string): AsyncGenerator<StoredEntry> {
    await this.#start();
    while (this.#next && ownerOf(this.#next) === id) yield await this.#take();
  }

  async #start(): Promise<void> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    await this.#advance();
  }

  async #take(): Promise<StoredEntry> {
    const taken = this.#next as StoredEntry;
    await this.#advance();
    return taken;
  }

  async #advance(): Promise<void> {
    const { value, done } = await this.#entries.next();
    this.#next = done ? undefined : value;
  }
}

function ownerOf({ key }: StoredEntry): string {
  return String(key[2]);
}
