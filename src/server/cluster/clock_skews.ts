/** Warns when the clocks of the processes of a cluster differ: dates of executions would, and forwarded requests are refused. */
import type { Instant } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import { ClockSkew, type ReadTime } from "../../store/clock_skew.ts";

interface ClockSkewsOptions {
  readonly logger: Logger;
  /** By how much the clock of the leader is ahead of the own one; 0 while it is not, and in the leader. */
  readonly leaderSkewMs: () => number;
}

const TEXT = "The clocks of this process and another one differ: synchronize the clocks of their machines";

/** The differences that this process has found. */
export class ClockSkews {
  readonly #options: ClockSkewsOptions;
  #others = new Map<string, ClockSkew>();

  constructor(options: ClockSkewsOptions) {
    this.#options = options;
  }

  /** Takes instants that other processes have written, by process, as found by a read; others are forgotten. */
  note(written: ReadonlyMap<string, Instant>, read: ReadTime): void {
    const others = new Map<string, ClockSkew>();
    for (const [process, instant] of written) {
      const skew = this.#others.get(process) ?? new ClockSkew();
      skew.note(instant, read);
      others.set(process, skew);
    }
    this.#others = others;
  }

  /** The first difference that is too large, as text; `undefined` if all are small. */
  get warning(): string | undefined {
    const ofLeader = this.#options.leaderSkewMs();
    if (ofLeader !== 0) return differenceText("the leading process", ofLeader);
    for (const [process, { skewMs }] of this.#others) {
      if (skewMs !== 0) return differenceText(`process ${process}`, skewMs);
    }
    return undefined;
  }

  /** Logs the warning, if there is one. */
  report(): void {
    const { warning } = this;
    if (warning !== undefined) this.#options.logger.repeated("warn", TEXT, { reason: warning });
  }
}

function differenceText(other: string, skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return `the clock of ${other} is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} the clock here`;
}
