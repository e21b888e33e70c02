/** Requests under way at a leader: after a take-over the former leader may never respond, so they are cut. */
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { LeaderView } from "../cluster/leader_view.ts";

/** Time in which a former leader may still end its responses. */
const GRACE_MS = 5_000;

/** What happens to a request whose leader is replaced. */
interface EndOfLeader {
  /** Another process leads now. */
  readonly replaced?: () => void;
  /** Another process has led for some seconds. */
  readonly cut: () => void;
}

interface Entry extends EndOfLeader {
  readonly epoch: number;
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
    this.#stopListening = view.onChange(() => {
      this.#replace();
      this.#cutLater();
    });
  }

  /** Adds a request to the leader of the epoch; the result removes it. */
  add(epoch: number, end: EndOfLeader): () => void {
    const entry = { ...end, epoch };
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

  #replace(): void {
    const epoch = this.#view.leader()?.epoch;
    if (epoch === undefined) return;
    for (const entry of this.#entries) if (entry.epoch !== epoch) entry.replaced?.();
  }

  #cutLater(): void {
    this.#cancelTimer ??= this.#clock.setTimer(GRACE_MS, () => {
      this.#cancelTimer = undefined;
      const epoch = this.#view.leader()?.epoch;
      for (const entry of this.#entries) if (entry.epoch !== epoch) entry.cut();
    });
  }
}
