/** How far the clock of another process differs from the own one, from instants that it writes and this process reads. */
import type { Instant } from "../base/time/clock.ts";

/** A read: when it was sent, and when its result was there, by the own clock. */
export interface ReadTime {
  readonly sentAt: Instant;
  readonly doneAt: Instant;
}

/** Smaller differences are usual, and so are commits that take as long. */
export const MAX_SKEW_MS = 2_000;
/** Values in succession that show a difference: a single one may be that of a commit that took long. */
const MIN_VALUES = 3;

/** Compares one writer with this process. */
export class ClockSkew {
  #written: Instant | undefined;
  #readAt: Instant | undefined;
  #count = 0;
  #skewMs = 0;

  /** Takes what a read has found. The instant was written between the read before and this one, if it is another one. */
  note(written: Instant, { sentAt, doneAt }: ReadTime): void {
    if (written !== this.#written && this.#readAt !== undefined) this.#compare(written, this.#readAt, doneAt);
    this.#written = written;
    this.#readAt = sentAt;
  }

  /** By how much the other clock is ahead, at least, in milliseconds; negative if it is behind; 0 up to {@link MAX_SKEW_MS}. */
  get skewMs(): number {
    return this.#count < MIN_VALUES ? 0 : this.#skewMs;
  }

  #compare(written: Instant, notBefore: Instant, notAfter: Instant): void {
    if (written > notAfter + MAX_SKEW_MS) this.#skewMs = written - notAfter;
    else if (written < notBefore - MAX_SKEW_MS) this.#skewMs = written - notBefore;
    else this.#count = -1;
    this.#count++;
  }
}
