/** Backups of the running server: one at a time, on request and by a schedule. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Backup, BackupOrigin, StoredBackup } from "../../model/backup.ts";
import { DomainError, illegalState, notFound } from "../../model/errors.ts";
import type { BackupDownload, BackupPort } from "../../model/ports/backups.ts";

/** When backups are made by themselves, and how many of those are kept. */
export interface BackupSchedule {
  readonly everyMs: number;
  readonly keep: number;
}

interface BackupsDeps {
  /** Absent: the database is no file of this machine. */
  readonly port?: BackupPort;
  readonly schedule?: BackupSchedule;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface RunningBackup {
  backup: Backup;
  readonly abort: AbortController;
  done: Promise<void>;
}

/** Wait after a scheduled backup that failed, unless the next one is due before. */
const RETRY_MS = 60 * 60 * 1000;
const NO_FILE =
  "the data is in a database server, not in a file of this server: back it up with the tools of that " +
  "server, and keep the encryption key; see docs/OPERATIONS.md";

/** Makes, lists and removes backups. */
export class Backups {
  readonly #deps: BackupsDeps;
  #running: RunningBackup | undefined;
  /** The last one, if it failed. */
  #failed: Backup | undefined;
  #triedAt: Instant = -Infinity;
  #isStarting = false;

  constructor(deps: BackupsDeps) {
    this.#deps = deps;
  }

  /** Starts a backup. @throws DomainError conflict: one is under way, or the database is no file; storage_full */
  async start(origin: BackupOrigin): Promise<Backup> {
    const port = this.#port();
    if (this.#running || this.#isStarting) {
      throw illegalState("a backup is under way; wait for its end, or delete it");
    }
    this.#isStarting = true;
    try {
      const totalBytes = await port.check();
      return this.#run(port, origin, totalBytes);
    } finally {
      this.#isStarting = false;
    }
  }

  /** The one under way or the last one if it failed, and the complete ones, newest first. @throws DomainError conflict */
  async list(): Promise<Backup[]> {
    const stored = await this.#port().list();
    const current = this.#running?.backup ?? this.#failed;
    // The one under way may have become a complete one.
    const others = stored.filter(({ id }) => id !== current?.id).map(complete);
    return current ? [current, ...others] : others;
  }

  /** A backup. @throws DomainError not_found, conflict */
  async get(id: string): Promise<Backup> {
    const port = this.#port();
    const current = this.#running?.backup ?? this.#failed;
    if (current?.id === id) return current;
    const stored = await port.find(id);
    if (stored) return complete(stored);
    throw noBackup(id);
  }

  /** A complete backup as one file. @throws DomainError not_found, conflict */
  async open(id: string): Promise<BackupDownload> {
    const found = await this.#port().open(id);
    if (found) return found;
    throw noBackup(id);
  }

  /** Removes a backup; ends the one under way. @throws DomainError not_found, conflict */
  async remove(id: string): Promise<void> {
    const port = this.#port();
    const running = this.#running;
    if (running?.backup.id === id) {
      running.abort.abort(new Error("the backup was deleted"));
      await running.done;
    }
    const wasFailed = this.#failed?.id === id;
    if (wasFailed) this.#failed = undefined;
    const wasStored = await port.remove(id);
    if (!wasStored && !wasFailed && running?.backup.id !== id) throw noBackup(id);
  }

  /** Removes what the last process left. A folder that cannot be used is no reason not to start. */
  async tidy(): Promise<void> {
    await this.#deps.port?.removeUnfinished().catch((error: Error) =>
      this.#deps.logger.warn("Cannot look after the folder of backups", { reason: error.message })
    );
  }

  /** Starts a backup if one is due. */
  async round(): Promise<void> {
    const { port, schedule, clock } = this.#deps;
    if (!port || !schedule || this.#running) return;
    const [newest] = await this.#scheduled(port);
    const now = clock.now();
    const isDue = now - (newest?.createdAt ?? -Infinity) >= schedule.everyMs;
    if (!isDue || now - this.#triedAt < Math.min(RETRY_MS, schedule.everyMs)) return;
    this.#triedAt = now;
    await this.start("SCHEDULE");
  }

  /** Ends a backup under way; nothing is left of it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#running?.abort.abort(new Error("the server stops"));
    await this.#running?.done;
  }

  #port(): BackupPort {
    if (this.#deps.port) return this.#deps.port;
    throw illegalState(`Cannot back up: ${NO_FILE}`);
  }

  #run(port: BackupPort, origin: BackupOrigin, totalBytes: number): Backup {
    const { clock, version } = this.#deps;
    const createdAt = clock.now();
    const id = port.idOf(createdAt);
    const abort = new AbortController();
    const backup: Backup = {
      ...{ id, createdAt, origin, version, totalBytes },
      state: "RUNNING",
      bytes: 0,
      hasKey: false,
    };
    const running: RunningBackup = { backup, abort, done: Promise.resolve() };
    this.#failed = undefined;
    this.#running = running;
    running.done = this.#make(port, running).finally(() => this.#running = undefined);
    return backup;
  }

  /** Never throws. */
  async #make(port: BackupPort, running: RunningBackup): Promise<void> {
    const { logger, clock } = this.#deps;
    const { id, createdAt, origin } = running.backup;
    const { signal } = running.abort;
    const sinceMs = clock.monotonicMs();
    const progress = (bytes: number, totalBytes: number) => {
      running.backup = { ...running.backup, bytes, totalBytes };
    };
    try {
      const { bytes } = await port.create({ createdAt, origin, signal, progress });
      logger.info("Made a backup", {
        id,
        bytes,
        seconds: Math.round((clock.monotonicMs() - sinceMs) / 1000),
      });
    } catch (error) {
      const reason = error instanceof DomainError
        ? error.message
        : `Cannot back up: ${(error as Error).message}`;
      if (!signal.aborted) this.#failed = { ...running.backup, state: "FAILED", error: reason };
      return logger.warn("A backup failed", { id, reason });
    }
    await this.#removeOld(port).catch((error: Error) =>
      logger.warn("Cannot remove an old backup", { reason: error.message })
    );
  }

  /**
   * Those that the schedule made, newest first. Not those of a clock that went wrong: one from the future would stand for all
   * until then, and have each new one removed.
   */
  async #scheduled(port: BackupPort): Promise<StoredBackup[]> {
    const now = this.#deps.clock.now();
    return (await port.list()).filter(({ origin, createdAt }) => origin === "SCHEDULE" && createdAt <= now);
  }

  async #removeOld(port: BackupPort): Promise<void> {
    const { schedule, logger } = this.#deps;
    if (!schedule) return;
    const old = (await this.#scheduled(port)).slice(schedule.keep);
    for (const { id } of old) {
      await port.remove(id);
      logger.info("Removed an old backup", { id });
    }
  }
}

function complete(stored: StoredBackup): Backup {
  return { ...stored, state: "SUCCESS" };
}

function noBackup(id: string): DomainError {
  return notFound(`there is no backup "${id.slice(0, 100)}"`);
}
