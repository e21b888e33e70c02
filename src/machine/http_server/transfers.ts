/** Finds bodies that make no progress: one pass a second over those under way, no timer of their own. */
import type { TransferWatch, TransferWatcher } from "../../model/http/transfer_watch.ts";

/** After so many bytes the time starts anew: a client that moves one byte a second would keep its connection for days. */
const MIN_BYTES = 1_024;

/** The bodies of a server that are under way. */
export class Transfers implements TransferWatcher {
  readonly #open = new Set<Transfer>();

  /** @inheritdoc */
  watch(maxWaitSeconds: number, onStalled: () => void): TransferWatch {
    const transfer = new Transfer(maxWaitSeconds, onStalled, this.#open);
    this.#open.add(transfer);
    return transfer;
  }

  /** Number of bodies under way. */
  get count(): number {
    return this.#open.size;
  }

  /** Called each second. */
  sweep(): void {
    for (const transfer of this.#open) transfer.sweep();
  }
}

class Transfer implements TransferWatch {
  readonly #maxWaitSeconds: number;
  readonly #onStalled: () => void;
  readonly #open: Set<Transfer>;
  #isWaiting = false;
  #waitedSeconds = 0;
  #bytes = 0;

  constructor(maxWaitSeconds: number, onStalled: () => void, open: Set<Transfer>) {
    this.#maxWaitSeconds = maxWaitSeconds;
    this.#onStalled = onStalled;
    this.#open = open;
  }

  wait(): void {
    this.#isWaiting = true;
  }

  moved(bytes: number): void {
    this.#isWaiting = false;
    this.#bytes += bytes;
    if (this.#bytes < MIN_BYTES) return;
    this.#bytes = 0;
    this.#waitedSeconds = 0;
  }

  end(): void {
    this.#open.delete(this);
  }

  sweep(): void {
    if (!this.#isWaiting || ++this.#waitedSeconds < this.#maxWaitSeconds) return;
    this.end();
    this.#onStalled();
  }
}
