/** Event streams that come and go. */
import type { Chance } from "../crash/chance.ts";

const MAX_FOLLOWERS = 20;
const MAX_FOLLOW_MS = 5_000;

/** Follows executions and logs, each for a while. Dispose of it to end all streams. */
export class Followers implements AsyncDisposable {
  readonly #url: string;
  readonly #open = new Set<Promise<void>>();
  readonly #end = new AbortController();
  #opened = 0;

  /** `url` is the address of the server. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Number of streams so far. */
  get opened(): number {
    return this.#opened;
  }

  /** Opens a stream, unless too many are open. The path begins below `/api/v1`. */
  follow(path: string, chance: Chance): void {
    if (this.#open.size >= MAX_FOLLOWERS) return;
    this.#opened++;
    const stream = this.#read(path, chance.between(0, MAX_FOLLOW_MS)).finally(() =>
      this.#open.delete(stream)
    );
    this.#open.add(stream);
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#open);
  }

  async #read(path: string, ms: number): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(Math.ceil(ms)), this.#end.signal]);
    try {
      const response = await fetch(`${this.#url}/api/v1${path}`, { signal });
      for await (const _chunk of response.body ?? []);
    } catch {
      // It was left, as a browser does whose page is closed.
    }
  }
}
