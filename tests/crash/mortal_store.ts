/** A store that simulates a process crash or a database failure at a given commit. */
import type { Atomic, Store } from "../../src/store/store.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";

/**
 * The fault of the commit. `die_before`, `die_after`: the process crashes before or after the write; the commit never
 * settles. `refuse`: it is not written and throws. `lose_response`: it is written and throws. `refuse_then_die`: it is not
 * written and throws, and the process crashes at the next commit.
 */
export const CUT_MODES = ["die_before", "die_after", "refuse", "lose_response", "refuse_then_die"] as const;

/** The commit that fails, counted from 1, and its fault. */
export interface Cut {
  readonly at: number;
  readonly mode: typeof CUT_MODES[number];
}

/** Delegates to another store until the cut. */
export class MortalStore extends FaultyStore {
  #cut: Cut | undefined;
  #isDead = false;

  constructor(inner: Store, cut?: Cut) {
    super(inner);
    this.#cut = cut;
  }

  /** Restarts the count of commits with a new cut. */
  arm(cut: Cut | undefined): void {
    this.commits = 0;
    this.#cut = cut;
  }

  /** True after the simulated crash. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** Stops a server; returns early if it crashes during the stop. */
  async stop(server: AsyncDisposable): Promise<void> {
    const stopped = server[Symbol.asyncDispose]();
    await settle();
    if (!this.#isDead) await stopped;
  }

  /** @inheritdoc */
  override async commit(atomic: Atomic): Promise<string | null> {
    if (this.#isDead) return await never();
    const isCut = ++this.commits === this.#cut?.at;
    if (!isCut) {
      const isLast = this.#cut?.mode === "refuse_then_die" && this.commits > this.#cut.at;
      return isLast ? await this.#die() : await this.inner.commit(atomic);
    }
    switch (this.#cut?.mode) {
      case "die_before":
        return await this.#die();
      case "die_after":
        await this.inner.commit(atomic);
        return await this.#die();
      case "lose_response":
        await this.inner.commit(atomic);
        throw new Error("injected: written, but the response was lost");
      default:
        throw new Error("injected: not written");
    }
  }

  async #die(): Promise<never> {
    this.#isDead = true;
    return await never();
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
