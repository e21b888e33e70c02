/** Why the committer refuses writes: the refusal for callers, the reason for people, and the lines of the server log. */
import type { Clock } from "../base/time/clock.ts";
import type { Logger } from "../base/log.ts";
import { DomainError, type ErrorCode } from "../model/errors.ts";
import type { DiskProblem, ServerProblem } from "../model/server_health.ts";

/** What the database did: a problem of its disk, or an error that no other cause explains. */
export type WriteFault = DiskProblem | "unreadable" | "unreachable" | "refused";

interface Explanation {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly advice: string;
}

const EXPLANATIONS: Readonly<Record<WriteFault, Explanation>> = {
  disk_full: { code: "storage_full", reason: "the disk is full", advice: "free some space, reads go on" },
  read_only: {
    code: "unavailable",
    reason: "the file system is read-only",
    advice: "mount it for writing again, reads go on",
  },
  io_error: {
    code: "unavailable",
    reason: "the disk reports errors",
    advice: "check the disk, reads go on",
  },
  unreadable: {
    code: "unavailable",
    reason: "the database cannot be read",
    advice: "check the disk; the server tries again",
  },
  unreachable: {
    code: "unavailable",
    reason: "the database cannot be reached",
    advice: "check its server and the network; the server tries again",
  },
  refused: {
    code: "unavailable",
    reason: "the database refused the last commit",
    advice: "the server tries again, reads go on",
  },
};

const STOPS_READS: ReadonlySet<WriteFault> = new Set(["unreadable", "unreachable"]);

/** Time between two lines about the same fault. */
const REPEAT_MS = 60_000;
const RETRY_AFTER_S = 1;

interface Current {
  readonly fault: WriteFault;
  readonly refusal: DomainError;
  readonly problem: ServerProblem;
  readonly beganMs: number;
  loggedMs: number;
}

/** The refusal that holds now, if any. A line is logged when it begins, changes or ends, and once a minute between. */
export class WriteRefusal {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #current: Current | undefined;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The refusal for callers; `undefined` while writes are accepted. */
  get error(): DomainError | undefined {
    return this.#current?.refusal;
  }

  /** The same for people. */
  get problem(): ServerProblem | undefined {
    return this.#current?.problem;
  }

  /** The cause that holds now. */
  get fault(): WriteFault | undefined {
    return this.#current?.fault;
  }

  /** Refuses writes because of `fault`; repeated for each attempt that fails. */
  enter(fault: WriteFault, cause: Error): DomainError {
    const nowMs = this.#clock.monotonicMs();
    const { code, reason, advice } = EXPLANATIONS[fault];
    const last = this.#current;
    if (last?.fault === fault) {
      this.#repeat(last, nowMs, cause);
      return last.refusal;
    }
    const refusal = new DomainError(code, `Cannot write: ${reason}; ${advice}`, {
      cause,
      retryAfter: RETRY_AFTER_S,
    });
    const since = last?.problem.since ?? this.#clock.now();
    const problem = { reason, since, stopsReads: STOPS_READS.has(fault) };
    this.#current = { fault, refusal, problem, beganMs: last?.beganMs ?? nowMs, loggedMs: nowMs };
    this.#logger.error("Writes are refused until a commit succeeds", { reason, error: cause.message });
    return refusal;
  }

  /** Accepts writes again. */
  leave(): void {
    if (!this.#current) return;
    const { problem: { reason }, beganMs } = this.#current;
    this.#current = undefined;
    this.#logger.info("Writes are accepted again", { reason, seconds: this.#secondsSince(beganMs) });
  }

  #repeat(current: Current, nowMs: number, cause: Error): void {
    if (nowMs - current.loggedMs < REPEAT_MS) return;
    current.loggedMs = nowMs;
    const seconds = this.#secondsSince(current.beganMs);
    const { reason } = current.problem;
    this.#logger.error("Writes are still refused", { reason, error: cause.message, seconds });
  }

  #secondsSince(beganMs: number): number {
    return Math.round((this.#clock.monotonicMs() - beganMs) / 1000);
  }
}

/** The fault that the error of a commit names; `undefined` for an error of the disk, whose kind SQLite does not say. */
export function namedFault(error: Error): WriteFault | undefined {
  if (/full|ENOSPC|no space/i.test(error.message)) return "disk_full";
  if (/readonly|read-only/i.test(error.message)) return "read_only";
  return /disk I\/O/i.test(error.message) ? undefined : "refused";
}
