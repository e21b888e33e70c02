/**
 * Keeps room for the queue of the database while its disk fills up. Deno takes a message out of the queue by a write, and
 * ends the process if that has no space ("KV queue dequeue failed"). So other writes are refused while some space is left.
 * The rest may be taken by other programs, but not what the write-ahead log of the database already has: it never becomes
 * shorter while the database is open, so it is made long enough when space becomes scarce.
 */
import type { Logger } from "../base/log.ts";
import { MAX_VALUE_BYTES } from "../model/limits.ts";
import type { Committer, Contribution, GroupRider } from "./committer.ts";
import { fillerKey } from "./keys.ts";
import type { Store } from "./store.ts";

interface SpaceWatchDeps {
  readonly store: Pick<Store, "freeBytes">;
  readonly committer: Pick<Committer, "commit" | "stats" | "refuseFullDisk" | "isReadOnly">;
  readonly logger: Logger;
}

/** Below this the log is made longer. */
const SCARCE_BYTES = 256 * 1024 * 1024;
/**
 * Below this writes are refused. What a checkpoint adds to the database at once fits into it: 1,000 pages of 4 KiB and those
 * of the group that reached them, and what is written until the free space is known.
 */
const FULL_BYTES = 6 * 1024 * 1024;
/** Written bytes from one check to the next; the log has room for them and for the messages of the queue. */
const CHECKED_BYTES = 1024 * 1024;
/**
 * SQLite writes its log from the start again after a checkpoint, which follows 1,000 pages of 4 KiB. So the log gets this
 * length, and is used from its start, after entries of somewhat more than that.
 */
const FILLER_ENTRIES = 9;
const FILLER_VALUES = 9;

const NOTHING: Contribution = { mutations: [], messages: [] };

/** Looks at the free space at intervals and with what is written. */
export class SpaceWatch implements GroupRider {
  readonly #deps: SpaceWatchDeps;
  #checkedBytes = 0;
  #isChecking = false;
  #isScarce = false;

  constructor(deps: SpaceWatchDeps) {
    this.#deps = deps;
  }

  /** @inheritdoc */
  contribute(): Contribution {
    return NOTHING;
  }

  /** @inheritdoc */
  committed(): void {
    const { committer: { stats } } = this.#deps;
    if (stats.bytes - this.#checkedBytes < CHECKED_BYTES || this.#isChecking) return;
    this.#checkedBytes = stats.bytes;
    void this.check();
  }

  /** @inheritdoc */
  refused(): void {
    // The committer refuses further writes by itself.
  }

  /** Reads the free space; refuses writes or makes the log longer where it is too little. Never fails. */
  async check(): Promise<void> {
    const { store, committer, logger } = this.#deps;
    if (this.#isChecking || committer.isReadOnly) return;
    this.#isChecking = true;
    try {
      const freeBytes = await store.freeBytes();
      const wasScarce = this.#isScarce;
      this.#isScarce = freeBytes < SCARCE_BYTES;
      if (freeBytes < FULL_BYTES) committer.refuseFullDisk(freeBytes);
      else if (this.#isScarce && !wasScarce) await this.#lengthenLog();
    } catch (error) {
      logger.repeated("warn", "Cannot prepare the database for a full disk", {
        error: error instanceof Error ? error.message : String(error),
      });
    } finally {
      this.#isChecking = false;
    }
  }

  async #lengthenLog(): Promise<void> {
    const { committer } = this.#deps;
    const keys = Array.from({ length: FILLER_VALUES }, (_, n) => fillerKey(n));
    for (let n = 1; n <= FILLER_ENTRIES; n++) {
      // SQLite writes no page whose content stays the same.
      const value = new Uint8Array(MAX_VALUE_BYTES - 1024).fill(n);
      await committer.commit({ mutations: keys.map((key) => ({ type: "set", key, value })), bulk: true });
    }
    await committer.commit({ mutations: keys.map((key) => ({ type: "delete", key })) });
  }
}
