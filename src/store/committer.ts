/**
 * The one writer. Collects entries and commits them as one atomic as soon as the previous one has returned: a commit
 * costs one fsync whatever its size, so neighbours share it. Each group checks and advances the chain key, which is the
 * fence against a second writer and tells afterwards whether a commit of unknown outcome happened.
 */
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import { DomainError } from "../model/errors.ts";
import {
  MAX_BULK_BYTES_PER_GROUP,
  MAX_GROUP_BYTES,
  MAX_GROUP_KEY_BYTES,
  MAX_GROUP_MUTATIONS,
  MAX_KEY_BYTES,
  MAX_PENDING_ENTRIES,
  MAX_VALUE_BYTES,
} from "../model/limits.ts";
import type { Key, Message, Mutation, Store } from "./store.ts";
import { WriterChain } from "./writer_chain.ts";

/** A list of mutations that must be atomic; it is never split over groups. */
export interface Entry {
  readonly mutations: readonly Mutation[];
  /** Facts for the riders, by rider; see {@link GroupRider}. */
  readonly facts?: EntryFacts;
  /** Bulk entries (file chunks, compaction, purge) wait for room and never crowd out the others. */
  readonly bulk?: boolean;
  /** Called once the entry is durable, in commit order, before any caller goes on; must not throw. */
  readonly committed?: () => void;
}

/** What riders want to know of an entry. */
export interface EntryFacts {
  /** Catalog rows to add: the executions that ended or went dormant. */
  readonly rows?: readonly { readonly tenant: string; readonly row: Uint8Array }[];
  /** Executions that are live after this entry, or no longer. */
  readonly liveness?: readonly { readonly tenant: string; readonly id: string; readonly live: boolean }[];
}

/** Adds to each group what concerns the group as a whole: manifests, row groups, queue messages. */
export interface GroupRider {
  /** What to add to the group with number `seq`. Called once a group; must not assume that the group will be committed. */
  contribute(entries: readonly Entry[], seq: number): Contribution;
  /** The group with that number is durable. */
  committed(entries: readonly Entry[], seq: number): void;
  /** The group with that number was refused. */
  refused(seq: number): void;
}

/** What a rider adds. */
export interface Contribution {
  readonly mutations: readonly Mutation[];
  readonly messages: readonly Message[];
}

/** How the committer is set up. */
export interface CommitterOptions {
  readonly store: Store;
  readonly instance: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called once when this process must not write any more: another one has taken over, or the outcome of a commit cannot be told. */
  readonly onFatal: (reason: string) => void;
}

/** Counters since the start. */
interface CommitterStats {
  groups: number;
  entries: number;
  mutations: number;
}

interface Pending {
  readonly entry: Entry;
  /** Its own mutations, and what riders may add for it at the most: a row group of its tenant, an emptied manifest. */
  readonly mutationCount: number;
  readonly bytes: number;
  readonly keyBytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const PROBE_INTERVAL_MS = 1000;
/** Room left in each group for riders and the chain key. */
const RIDER_BYTES = 90_000;

/** Serialises all writes of this process. */
export class Committer {
  readonly stats: CommitterStats = { groups: 0, entries: 0, mutations: 0 };
  readonly #options: CommitterOptions;
  readonly #riders: GroupRider[] = [];
  readonly #chain: WriterChain;
  #normal: Pending[] = [];
  #bulk: Pending[] = [];
  #running = false;
  #idle: Promise<void> = Promise.resolve();
  #refusal: DomainError | undefined;
  #cancelProbe: (() => void) | undefined;
  #stopped = false;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#chain = new WriterChain(options.store, options.instance);
  }

  /** Takes over the chain: whoever wrote before is fenced from now on. */
  async start(): Promise<void> {
    await this.#chain.takeOver(this.#options.clock.now());
  }

  /** The process before was stopped in order: it did not crash over what it has left under way. */
  get followsStop(): boolean {
    return this.#chain.followsStop;
  }

  /** Adds a rider; before the first commit. */
  addRider(rider: GroupRider): void {
    this.#riders.push(rider);
  }

  /** True while writes are refused because the database cannot take them. */
  get isReadOnly(): boolean {
    return this.#refusal !== undefined;
  }

  /** Entries that wait. */
  get pendingCount(): number {
    return this.#normal.length + this.#bulk.length;
  }

  /**
   * Commits an entry; resolves once it is durable.
   * @throws DomainError storage_full or unavailable: nothing was written; too_large: the entry can never be
   */
  commit(entry: Entry): Promise<void> {
    const refusal = this.#refuse(entry);
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const size = measure(entry);
      if (size.problem) return reject(size.problem);
      const { bytes, keyBytes } = size;
      const pending = { entry, mutationCount: mutationCount(entry), bytes, keyBytes, resolve, reject };
      (entry.bulk ? this.#bulk : this.#normal).push(pending);
      this.#wake();
    });
  }

  /** Resolves when nothing is waiting or being written. */
  async drain(): Promise<void> {
    while (this.#running) await this.#idle;
  }

  /** Commits what is waiting, then refuses everything else; the next process is told that this one did not crash. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
    const isChainKnown = !this.#stopped;
    this.#stopped = true;
    this.#cancelProbe?.();
    if (isChainKnown) await this.#chain.leave();
  }

  #refuse(entry: Entry): DomainError | undefined {
    if (this.#stopped) return new DomainError("unavailable", "Cannot write: the server is shutting down");
    if (this.#refusal) return this.#refusal;
    if (this.pendingCount >= MAX_PENDING_ENTRIES && !entry.bulk) {
      return new DomainError("too_many_requests", "Cannot write: too many writes are waiting", {
        retryAfter: 1,
      });
    }
    return undefined;
  }

  #wake(): void {
    if (this.#running) return;
    this.#running = true;
    // A microtask, not a timer: entries of the same turn share the group, and a lone one does not wait (a timer cost 1.3 ms).
    this.#idle = Promise.resolve().then(() => this.#run());
  }

  async #run(): Promise<void> {
    try {
      while (this.pendingCount > 0) await this.#commitGroup(this.#cut());
    } finally {
      this.#running = false;
    }
  }

  #cut(): Pending[] {
    const group: Pending[] = [];
    const room = {
      mutations: MAX_GROUP_MUTATIONS,
      bytes: MAX_GROUP_BYTES - RIDER_BYTES,
      keyBytes: MAX_GROUP_KEY_BYTES,
    };
    this.#normal = takeWhile(this.#normal, room, group);
    if (this.#bulk.length > 0) {
      const bulkBytes = group.length > 0 ? Math.min(room.bytes, MAX_BULK_BYTES_PER_GROUP) : room.bytes;
      this.#bulk = takeWhile(this.#bulk, { ...room, bytes: bulkBytes }, group);
    }
    return group;
  }

  async #commitGroup(group: Pending[]): Promise<void> {
    const entries = group.map((pending) => pending.entry);
    const seq = this.#chain.seq + 1;
    const mutations = entries.flatMap((entry) => entry.mutations);
    const messages: Message[] = [];
    for (const rider of this.#riders) {
      const contribution = rider.contribute(entries, seq);
      mutations.push(...contribution.mutations);
      messages.push(...contribution.messages);
    }
    const outcome = await this.#write(mutations, messages);
    if (outcome instanceof DomainError) {
      for (const rider of this.#riders) rider.refused(seq);
      for (const pending of group) pending.reject(outcome);
      return;
    }
    this.stats.groups++;
    this.stats.entries += group.length;
    this.stats.mutations += mutations.length + 1;
    for (const rider of this.#riders) rider.committed(entries, seq);
    for (const pending of group) {
      pending.entry.committed?.();
      pending.resolve();
    }
  }

  /** Writes a group; a DomainError says why nothing of it was written. */
  async #write(mutations: Mutation[], messages: Message[]): Promise<DomainError | undefined> {
    let cause = new Error("the chain key was changed");
    try {
      if (await this.#chain.commit(mutations, messages)) return undefined;
    } catch (error) {
      cause = error as Error;
    }
    return await this.#learnOutcome(cause);
  }

  /** An exception, or a failed check after a silent retry, leaves the outcome unknown: the chain tells. */
  async #learnOutcome(cause: Error): Promise<DomainError | undefined> {
    let outcome;
    try {
      outcome = await this.#chain.outcome();
    } catch (error) {
      return this.#fail(`the database cannot be read: ${(error as Error).message}`);
    }
    if (outcome === "written") return undefined;
    if (outcome === "taken over") return this.#fail("another process has taken over the database");
    if (outcome === "unknown") return this.#fail("another process writes to the database");
    this.#options.logger.error("A commit was refused; writes are refused until one succeeds", {
      reason: cause.message,
    });
    this.#enterReadOnly(cause);
    return this.#refusal;
  }

  #fail(reason: string): DomainError {
    this.#stopped = true;
    this.#refusal = new DomainError("unavailable", `Cannot write: ${reason}`);
    for (const pending of [...this.#normal.splice(0), ...this.#bulk.splice(0)]) pending.reject(this.#refusal);
    this.#options.onFatal(reason);
    return this.#refusal;
  }

  #enterReadOnly(cause: Error): void {
    this.#refusal = isDiskFull(cause)
      ? new DomainError("storage_full", "Cannot write: the disk is full; free some space, reads go on", {
        cause,
        retryAfter: 1,
      })
      : new DomainError("unavailable", "Cannot write: the database refused the last commit", {
        cause,
        retryAfter: 1,
      });
    const refusal = this.#refusal;
    for (const pending of [...this.#normal.splice(0), ...this.#bulk.splice(0)]) pending.reject(refusal);
    this.#cancelProbe = this.#options.clock.setTimer(PROBE_INTERVAL_MS, () => void this.#probe());
  }

  /** Tries an empty group; on success writes are taken again. */
  async #probe(): Promise<void> {
    if (this.#stopped || this.#refusal === undefined) return;
    const wasFull = this.#refusal.code === "storage_full";
    if (wasFull) await this.#options.store.releaseReserve().catch(() => false);
    const refusal = await this.#write([], []);
    if (refusal || this.#stopped) return;
    this.#refusal = undefined;
    this.#options.logger.info("Writes are taken again");
  }
}

function isDiskFull(error: Error): boolean {
  return /full|ENOSPC|no space|disk I\/O/i.test(error.message);
}

interface Room {
  mutations: number;
  bytes: number;
  keyBytes: number;
}

/** Moves entries into `group` as long as they fit; gives the rest. A group takes at least one. */
function takeWhile(queue: Pending[], room: Room, group: Pending[]): Pending[] {
  let taken = 0;
  for (const pending of queue) {
    const fits = pending.mutationCount <= room.mutations && pending.bytes <= room.bytes &&
      pending.keyBytes <= room.keyBytes;
    if (!fits && group.length > 0) break;
    room.mutations -= pending.mutationCount;
    room.bytes -= pending.bytes;
    room.keyBytes -= pending.keyBytes;
    group.push(pending);
    taken++;
  }
  return taken === queue.length ? [] : queue.slice(taken);
}

function mutationCount({ mutations, facts }: Entry): number {
  const rows = facts?.rows ?? [];
  const rowGroups = rows.length < 2 ? rows.length : new Set(rows.map(({ tenant }) => tenant)).size;
  return mutations.length + rowGroups + (facts?.liveness?.length ?? 0);
}

/** Sizes of an entry, and what is wrong with it: one bad entry must not reject its neighbours. */
function measure(entry: Entry): { bytes: number; keyBytes: number; problem?: DomainError } {
  let bytes = 0;
  let keyBytes = 0;
  for (const mutation of entry.mutations) {
    const keySize = keyLength(mutation.key);
    const valueSize = mutation.type === "set" ? mutation.value.length : 0;
    if (keySize > MAX_KEY_BYTES || valueSize > MAX_VALUE_BYTES) {
      return {
        bytes,
        keyBytes,
        problem: new DomainError("too_large", "Cannot write: a key or value is too large"),
      };
    }
    keyBytes += keySize;
    bytes += keySize + valueSize;
  }
  const fits = bytes <= MAX_GROUP_BYTES - RIDER_BYTES && keyBytes <= MAX_GROUP_KEY_BYTES &&
    entry.mutations.length <= MAX_GROUP_MUTATIONS;
  if (fits) return { bytes, keyBytes };
  return {
    bytes,
    keyBytes,
    problem: new DomainError("too_large", "Cannot write: the change is too large for one commit"),
  };
}

/** Upper bound of a key's encoded length: texts take up to 3 bytes a UTF-16 unit, and 2 for their frame. */
function keyLength(key: Key): number {
  let length = 0;
  for (const part of key) {
    if (typeof part === "string") length += (isAscii(part) ? part.length : part.length * 3) + 2;
    else length += part instanceof Uint8Array ? part.length * 2 + 2 : 10;
  }
  return length;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
