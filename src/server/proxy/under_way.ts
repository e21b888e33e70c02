/** Requests under way at a leader: after a take-over the former leader may never respond, so they are cut. */
import type { CancelTimer, Clock } from "../../base/clock.ts";
import type { LeaderView } from "../cluster/leader_view.ts";

/** Time in which a former leader may still end its responses. */
const GRACE_MS = 5_000;

interface Entry {
  readonly epoch: number;
  readonly cut: () => void;
}

/** The requests under way. */
export class UnderWay implements Disposable {
  readonly #view: LeaderView;
  readonly #clock: Clock;
  readonly #entries = new Set<Entry>();
  readonly #stopListening: () => void;
  #cancelTimer: CancelTimer | undefined;

  constructor(view: LeaderView, clock: Clock) {
    this.#view = view;
    this.#clock = clock;
    this.#stopListening = view.onChange(() => this.#cutLater());
  }

  /** Adds a request; the result removes it. `cut` is called when another process has led for some seconds. */
  add(epoch: number, cut: () => void): () => void {
    const entry = { epoch, cut };
    this.#entries.add(entry);
    if (this.#view.leader()?.epoch !== epoch) this.#cutLater();
    return () => void this.#entries.delete(entry);
  }

  /** Cuts all. */
  [Symbol.dispose](): void {
    this.#stopListening();
    this.#cancelTimer?.();
    for (const { cut } of this.#entries) cut();
  }

  #cutLater(): void {
    this.#cancelTimer ??= this.#clock.setTimer(GRACE_MS, () => {
      this.#cancelTimer = undefined;
      const epoch = this.#view.leader()?.epoch;
      for (const entry of this.#entries) if (entry.epoch !== epoch) entry.cut();
    });
  }
}
