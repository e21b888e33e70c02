/** The events that clients have not read: what streams hold of them together is limited. */

/** A stream that waits until its client reads. */
export interface WaitingStream {
  /** Ends it, and drops what it holds. */
  readonly stall: () => void;
}

/** Bytes that several streams share count once. */
export class UnreadEvents {
  readonly #maxBytes: number;
  /** Those whose clients have not read for the longest time first. */
  readonly #waiting = new Map<WaitingStream, readonly Uint8Array[]>();
  readonly #holders = new Map<Uint8Array, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The stream holds these parts until {@link release}. Beyond the limit those that have waited longest end, but for the last one. */
  hold(stream: WaitingStream, parts: readonly Uint8Array[]): void {
    this.release(stream);
    this.#waiting.set(stream, parts);
    for (const part of parts) {
      const holders = this.#holders.get(part) ?? 0;
      if (holders === 0) this.#bytes += part.length;
      this.#holders.set(part, holders + 1);
    }
    for (const [other] of this.#waiting) {
      if (this.#bytes <= this.#maxBytes || this.#waiting.size === 1) return;
      this.release(other);
      other.stall();
    }
  }

  /** The client of the stream has read something. */
  moved(stream: WaitingStream): void {
    const parts = this.#waiting.get(stream);
    if (parts === undefined) return;
    this.#waiting.delete(stream);
    this.#waiting.set(stream, parts);
  }

  /** The stream holds nothing any more. */
  release(stream: WaitingStream): void {
    for (const part of this.#waiting.get(stream) ?? []) {
      const holders = (this.#holders.get(part) ?? 0) - 1;
      if (holders > 0) this.#holders.set(part, holders);
      else if (this.#holders.delete(part)) this.#bytes -= part.length;
    }
    this.#waiting.delete(stream);
  }
}
