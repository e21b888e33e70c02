/** Finds bodies that make no progress: one pass a second over those under way, no timer of their own. */
import type { TransferWatch, TransferWatcher } from "../../model/http/transfer_watch.ts";

/** Seconds that a client may be waited for until it has moved {@link MIN_BYTES}; after these the time starts anew. */
const MAX_WAIT_SECONDS = 30;
/** A client that moves one byte a second would keep its connection for days. */
const MIN_BYTES = 1_024;

/** The bodies of a server that are under way. */
export class Transfers implements TransferWatcher {
  readonly #open = new Set<Transfer>();

  /** @inheritdoc */
  watch(onStalled: () => void): TransferWatch {
    const transfer = new Transfer(onStalled, this.#open);
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
  readonly #onStalled: () => void;
  readonly #open: Set<Transfer>;
  #isWaiting = false;
  #waitedSeconds = 0;
  #bytes = 0;

  constructor(onStalled: () => void, open: Set<Transfer>) {
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
    if (!this.#isWaiting || ++this.#waitedSeconds < MAX_WAIT_SECONDS) return;
    this.end();
    this.#onStalled();
  }
}
