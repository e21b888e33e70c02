/** Notices jumps of the machine's clock: set by hand or by a time server, or after a suspension of the machine. */
import type { Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";

interface ClockWatchDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after a jump, to check what is due now. */
  readonly jumped: () => void;
}

/** Smaller corrections are usual. */
const MIN_JUMP_MS = 10_000;
const FORWARD = "The clock has jumped forward: what became due in between runs now";
const BACK = "The clock has jumped back: timers and schedules wait until it reaches their dates";

/** Compares the time of day with the monotonic clock at each check. */
export class ClockWatch {
  readonly #deps: ClockWatchDeps;
  #offsetMs: number;

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps;
    this.#offsetMs = offsetOf(deps.clock);
  }

  /** Logs a jump since the last check and reports it. */
  check(): void {
    const { clock, logger, jumped } = this.#deps;
    const offsetMs = offsetOf(clock);
    const jumpMs = offsetMs - this.#offsetMs;
    this.#offsetMs = offsetMs;
    if (Math.abs(jumpMs) < MIN_JUMP_MS) return;
    logger.warn(jumpMs > 0 ? FORWARD : BACK, { seconds: Math.round(jumpMs / 1000) });
    jumped();
  }
}

function offsetOf(clock: Clock): number {
  return clock.now() - clock.monotonicMs();
}
