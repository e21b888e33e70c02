/** The ended executions of a tenant that its retention has passed over, so that it does not look at them again in each round. */
import type { Instant } from "../../base/time/clock.ts";

/** Executions that are remembered, some 100 bytes each. */
const MAX_KEPT = 50_000;
/** Keepers that one look asks whether they are under way. */
const ASKED_AT_ONCE = 500;
/** After this time all are looked at again: more may be kept than are remembered, and clocks may be set back. */
const AGAIN_AFTER_MS = 3_600_000;

/** What is kept, and for which executions. */
export class KeptExecutions {
  /** The last one in the order of ends that was looked at; absent: the next look begins at the front. */
  after: { readonly endAt: Instant; readonly id: string } | undefined;
  /** The execution for which each one is kept, its keeper, by id. */
  readonly #keepers = new Map<string, string>();
  #asked = 0;
  #begunAt: Instant;

  constructor(now: Instant) {
    this.#begunAt = now;
  }

  /** Executions that are remembered. */
  get size(): number {
    return this.#keepers.size;
  }

  /** True if it is kept for an execution that was under way when that was last asked. */
  has(id: string): boolean {
    return this.#keepers.has(id);
  }

  /** Remembers that it is kept, as far as there is room. */
  add(id: string, keeper: string): void {
    if (this.#keepers.size < MAX_KEPT) this.#keepers.set(id, keeper);
  }

  /** Begins at the front again, and returns true, if a keeper is no longer under way, or the last begin is long ago. */
  async beginAgain(now: Instant, isUnderWay: (keeper: string) => Promise<boolean>): Promise<boolean> {
    const keepers = [...new Set(this.#keepers.values())];
    const from = this.#asked < keepers.length ? this.#asked : 0;
    this.#asked = from + ASKED_AT_ONCE;
    const over = new Set<string>();
    for (const keeper of keepers.slice(from, this.#asked)) if (!await isUnderWay(keeper)) over.add(keeper);
    if (over.size === 0 && now - this.#begunAt < AGAIN_AFTER_MS) return false;
    for (const [id, keeper] of this.#keepers) if (over.has(keeper)) this.#keepers.delete(id);
    this.after = undefined;
    this.#begunAt = now;
    return true;
  }
}
