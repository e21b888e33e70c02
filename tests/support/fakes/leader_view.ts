/** A {@link LeaderView} that a test changes. */
import type { LeaderView } from "../../../src/server/cluster/leader_view.ts";
import type { Leader } from "../../../src/server/proxy/carrier.ts";

/** The leader that a test sets. */
export class FakeLeaderView implements LeaderView {
  readonly #listeners = new Set<() => void>();
  #leader: Leader | undefined;

  /** @inheritdoc */
  leader(): Leader | undefined {
    return this.#leader;
  }

  /** @inheritdoc */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Number of listeners. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  /** Sets the leader; absent: no process leads. */
  set(epoch?: number, url?: string): void {
    this.#leader = epoch === undefined ? undefined : { epoch, holder: `holder-${epoch}`, url, version: "1" };
    for (const listener of this.#listeners) listener();
  }
}
