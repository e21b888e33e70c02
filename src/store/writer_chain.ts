/**
 * The commits of one writer form a chain: each commit checks the versionstamp of one key, the chain key, and writes the next
 * sequence number and an id of its own to it. A commit of a second writer changes the versionstamp, so the first writer's next
 * check fails (fencing). After a commit with an unknown outcome the stored id shows whether it happened.
 *
 * Where a commit can land late, an unchanged chain key proves nothing. Then an empty commit on the same versionstamp must
 * succeed before the other one counts as refused: of the two only one can.
 */
import type { Instant } from "../base/time/clock.ts";
import { type RandomBytes, systemRandomBytes } from "../base/id.ts";
import { DomainError } from "../model/errors.ts";
import { decodeJson, encodeJson } from "./codec.ts";
import { chainKey } from "./keys.ts";
import { oldChainKey } from "./old_keys.ts";
import type { Atomic, Check, Key, Mutation, Store } from "./store.ts";
import { deleteKey } from "./stored_entries.ts";

/** The value of the chain key. */
interface StoredChain {
  /** Identifies the writer; every takeover uses a larger epoch. */
  readonly epoch: number;
  /** Counts the commits. */
  readonly seq: number;
  /** Identifies the commit that wrote it; absent in data of older versions. */
  readonly id?: string;
  /** What the takeover that began the epoch found. */
  readonly previous?: { readonly epoch: number; readonly id?: string };
  /** The writer shut down cleanly. */
  readonly isLeft?: boolean;
  /** The latest instant of the clock of any writer, where several processes write in turn. */
  readonly at?: Instant;
}

interface FoundChain {
  readonly chain: StoredChain;
  /** `null`: the database has no chain key. */
  readonly versionstamp: string | null;
}

/** What became of the last commit. */
export interface CommitOutcome {
  readonly group: "written" | "refused" | "unknown";
  /** Why this writer must stop; absent: it may go on. */
  readonly endReason?: string;
}

/** What is checked and written together with the chain key. */
export interface ChainRider {
  readonly checks: readonly Check[];
  readonly mutations: readonly Mutation[];
}

/** A lease that the owner of the chain holds: taken with the take-over, given back with the clean shutdown. */
export interface ChainLease {
  /** What belongs to the take-over that begins the epoch. */
  take(epoch: number): ChainRider;
  /** The take-over is stored, with that versionstamp. `latest`: the latest instant of the writers before, if it is known. */
  taken(versionstamp: string, latest: Instant | undefined): void;
  /**
   * What gives the lease back, once no renewal is under way. May be called again after a try whose outcome is unknown; `undefined`:
   * it is too late for another try. Does not reject.
   */
  giveBack(): Promise<ChainRider | undefined>;
  /** True when this process was the last holder: what it left was not interrupted by its end. */
  readonly isOwn: boolean;
}

type WriteOptions = Pick<StoredChain, "isLeft"> & Partial<Pick<Atomic, "messages" | "timeoutMs">>;

const NO_RIDER: ChainRider = { checks: [], mutations: [] };
const NO_CHAIN: StoredChain = { epoch: 0, seq: 0 };
const WRITER_ID_BYTES = 8;
const MAX_STOP_TRIES = 3;
/** How long a write that can be repeated waits for its response, where its connection may hang. */
export const FIRST_TRY_MS = 1_000;

/** The chain of this process. */
export class WriterChain {
  readonly #store: Store;
  readonly #key: Key;
  readonly #oldKey: Key;
  readonly #writerId: string;
  readonly #lease: ChainLease | undefined;
  #commits = 0;
  #epoch = 0;
  #seq = 0;
  #versionstamp: string | null = null;
  #previous: StoredChain["previous"];
  /** Id of the last commit of a group. */
  #groupId = "";
  #followsStop = false;
  #at: Instant | undefined;
  #isTaken = false;

  constructor(
    store: Store,
    instance: string,
    { randomBytes = systemRandomBytes, lease }: {
      readonly randomBytes?: RandomBytes;
      /** Absent: no other process may use the database at the same time. */
      readonly lease?: ChainLease;
    } = {},
  ) {
    this.#store = store;
    this.#lease = lease;
    this.#key = chainKey(instance);
    this.#oldKey = oldChainKey(instance);
    const id = new Uint8Array(WRITER_ID_BYTES);
    randomBytes(id);
    this.#writerId = id.toHex();
  }

  /** Number of the last commit. */
  get seq(): number {
    return this.#seq;
  }

  /** True when the previous writer shut down cleanly. */
  get followsStop(): boolean {
    return this.#followsStop;
  }

  /** Starts a new epoch; any earlier writer is fenced from now on. @throws DomainError conflict: another process takes over concurrently */
  async takeOver(now: Instant): Promise<void> {
    const { versionstamp, ...found } = await this.#read();
    const old = versionstamp === null ? await this.#read(this.#oldKey) : undefined;
    const { epoch, seq, id, isLeft, at: latest } = (old ?? found).chain;
    this.#versionstamp = versionstamp;
    this.#epoch = Math.max(epoch + 1, Math.floor(now / 1000));
    this.#seq = seq;
    this.#previous = { epoch, id };
    let failure: unknown;
    this.#at = latest;
    this.#pass(now);
    this.#groupId = this.#nextId();
    const rider = this.#lease?.take(this.#epoch) ?? NO_RIDER;
    const isWritten = await this.#write(this.#groupId, this.#withMove(rider, old)).catch((error) => {
      failure = error;
      return false;
    });
    if (!isWritten) await this.#findTakeOver(failure);
    this.#isTaken = true;
    this.#followsStop = isLeft === true || this.#lease?.isOwn === true;
    // All keys of an atomic have its versionstamp.
    this.#lease?.taken(this.#versionstamp as string, latest);
  }

  /** Also removes the chain key of an earlier format: a writer that goes on with that is fenced. */
  #withMove(rider: ChainRider, old: FoundChain | undefined): ChainRider {
    if (!old || old.versionstamp === null) return rider;
    return {
      checks: [...rider.checks, { key: this.#oldKey, versionstamp: old.versionstamp }],
      mutations: [...rider.mutations, deleteKey(this.#oldKey)],
    };
  }

  /** After the takeover failed: its response may have been lost. @throws when it was not written */
  async #findTakeOver(failure: unknown): Promise<void> {
    const found = await this.#read();
    if (found.chain.id === this.#groupId) return this.#adopt(found);
    throw failure ??
      new DomainError("conflict", "Cannot take over the database: another process is starting");
  }

  /** Commits the next group at the instant `now`; false when the check fails. @throws Error from the store: unknown outcome, unless it is an UnsentError */
  async commit({ mutations, ...options }: Omit<Atomic, "checks">, now: Instant): Promise<boolean> {
    this.#pass(now);
    this.#groupId = this.#nextId();
    return await this.#write(this.#groupId, { checks: [], mutations }, options);
  }

  /** The outcome of the last commit, after {@link commit} threw or returned false. @throws Error the database cannot be used */
  async outcome(): Promise<CommitOutcome> {
    const seen = await this.#look();
    if (seen) return seen;
    if (!this.#store.landsLate || await this.#write(this.#nextId())) return { group: "refused" };
    return await this.#look() ?? { group: "unknown", endReason: "the database contradicts itself" };
  }

  /** The outcome of the last commit that the chain key shows; `undefined` when it is as before. */
  async #look(): Promise<CommitOutcome | undefined> {
    const found = await this.#read();
    const { epoch, id, previous } = found.chain;
    if (epoch !== this.#epoch) {
      const endReason = "another process has taken over the database";
      // Only the last commit of the epoch before is known.
      if (previous?.epoch !== this.#epoch) return { group: "unknown", endReason };
      return { group: previous.id === this.#groupId ? "written" : "refused", endReason };
    }
    if (found.versionstamp === this.#versionstamp) return undefined;
    // Another id of this process is that of an empty commit.
    const isOwn = id?.startsWith(this.#writerId) ?? false;
    if (!isOwn) return { group: "unknown", endReason: "another process writes to the database" };
    this.#adopt(found);
    return { group: id === this.#groupId ? "written" : "refused" };
  }

  /** Marks a clean shutdown and gives the lease back. If this fails, the next process assumes a crash, which is safe. */
  async markStopped(): Promise<void> {
    if (!this.#isTaken) return;
    for (let tries = 1; tries <= MAX_STOP_TRIES; tries++) {
      const rider = await this.#lease?.giveBack();
      // Others wait for the end of a lease that is not given back.
      if (tries > 1 && !rider) return;
      const timeoutMs = tries < MAX_STOP_TRIES ? FIRST_TRY_MS : undefined;
      if (await this.#leave(rider, timeoutMs).catch(() => false)) return;
    }
  }

  /** False if the mark is not written, or another write of this process was found instead. @throws Error unknown outcome */
  async #leave(rider: ChainRider | undefined, timeoutMs: number | undefined): Promise<boolean> {
    const id = this.#nextId();
    if (await this.#write(id, rider, { isLeft: true, timeoutMs }).catch(() => false)) return true;
    const found = await this.#read();
    if (found.chain.epoch !== this.#epoch || found.chain.id === id) return true;
    this.#adopt(found);
    return false;
  }

  /** Writes mutations with the next value of the chain key; false when the check fails. */
  async #write(
    id: string,
    { checks, mutations }: ChainRider = NO_RIDER,
    { isLeft, messages = [], timeoutMs }: WriteOptions = {},
  ): Promise<boolean> {
    const seq = this.#seq + 1;
    const at = this.#lease && this.#at;
    const chain: StoredChain = { epoch: this.#epoch, seq, id, previous: this.#previous, isLeft, at };
    const versionstamp = await this.#store.commit({
      checks: [...checks, { key: this.#key, versionstamp: this.#versionstamp }],
      mutations: [...mutations, { type: "set", key: this.#key, value: encodeJson(chain) }],
      messages,
      timeoutMs,
    });
    if (versionstamp === null) return false;
    this.#adopt({ chain, versionstamp });
    return true;
  }

  #pass(now: Instant): void {
    this.#at = Math.max(this.#at ?? now, now);
  }

  #adopt({ chain, versionstamp }: FoundChain): void {
    this.#seq = chain.seq;
    this.#versionstamp = versionstamp;
  }

  async #read(key = this.#key): Promise<FoundChain> {
    const entry = await this.#store.get(key);
    if (!entry) return { chain: NO_CHAIN, versionstamp: null };
    return { chain: decodeJson(entry.value) as unknown as StoredChain, versionstamp: entry.versionstamp };
  }

  #nextId(): string {
    return `${this.#writerId}.${++this.#commits}`;
  }
}
