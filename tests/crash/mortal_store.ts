/** A store whose process dies, or whose database fails, at a given commit. */
import type { Atomic, Store } from "../../src/store/store.ts";
import { settle } from "../support/fake_clock.ts";
import { FaultyStore } from "../support/faulty_store.ts";

/**
 * What happens at the commit. `die_before`, `die_after`: the process is gone before or after it was written, and nobody
 * hears of it. `refuse`: it is not written, and the process goes on. `lose_answer`: it is written, the answer is an
 * error. `refuse_then_die`: refused, and the process is gone at the next one.
 */
export const CUT_MODES = ["die_before", "die_after", "refuse", "lose_answer", "refuse_then_die"] as const;

/** Where and how to cut; commits count from 1. */
export interface Cut {
  readonly at: number;
  readonly mode: typeof CUT_MODES[number];
}

/** Passes everything on until the cut. */
export class MortalStore extends FaultyStore {
  #cut: Cut | undefined;
  #isDead = false;

  constructor(inner: Store, cut?: Cut) {
    super(inner);
    this.#cut = cut;
  }

  /** Counts from the next commit on, and cuts there. */
  arm(cut: Cut | undefined): void {
    this.commits = 0;
    this.#cut = cut;
  }

  /** True once the process is gone. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** Stops a server; one that dies meanwhile is gone. */
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
      case "lose_answer":
        await this.inner.commit(atomic);
        throw new Error("injected: written, but the answer was lost");
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
