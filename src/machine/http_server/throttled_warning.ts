/** A warning of the log that a client could cause as often as it likes. */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";

const INTERVAL_MS = 60_000;

/** Writes one line a minute at most, with the number of those that it stands for. */
export class ThrottledWarning {
  readonly #message: string;
  readonly #deps: { readonly clock: Clock; readonly logger: Logger };
  #writtenAt = -Infinity;
  #count = 0;

  constructor(message: string, deps: { readonly clock: Clock; readonly logger: Logger }) {
    this.#message = message;
    this.#deps = deps;
  }

  /** Writes the line, or counts it. */
  warn(reason: string): void {
    this.#count++;
    const now = this.#deps.clock.monotonicMs();
    if (now - this.#writtenAt < INTERVAL_MS) return;
    this.#writtenAt = now;
    this.#deps.logger.warn(this.#message, { reason, count: this.#count });
    this.#count = 0;
  }
}
