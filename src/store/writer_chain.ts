/**
 * The commits of one writer form a chain: each commit checks the versionstamp of one key, the chain key, and writes the next
 * sequence number to it. A commit of a second writer changes the versionstamp, so the first writer's next check fails
 * (fencing). After a commit with an unknown outcome the stored sequence number shows whether it happened.
 */
import type { Instant } from "../base/clock.ts";
import { DomainError } from "../model/errors.ts";
import { decodeJson, encodeJson } from "./codec.ts";
import { chainKey } from "./keys.ts";
import type { Key, Message, Mutation, Store } from "./store.ts";

/** The value of the chain key. */
interface StoredChain {
  /** Identifies the writer; every takeover uses a larger epoch. */
  readonly epoch: number;
  /** Counts the commits. */
  readonly seq: number;
  /** The writer shut down cleanly. */
  readonly isLeft?: boolean;
}

/** The outcome of a commit; `unknown`: the chain has advanced in a way that this writer cannot have caused. */
export type CommitOutcome = "written" | "refused" | "taken over" | "unknown";

/** The chain of this process. */
export class WriterChain {
  readonly #store: Store;
  readonly #key: Key;
  #epoch = 0;
  #seq = 0;
  #versionstamp: string | null = null;
  #followsStop = false;

  constructor(store: Store, instance: string) {
    this.#store = store;
    this.#key = chainKey(instance);
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
    const entry = await this.#store.get(this.#key);
    const previous: StoredChain = entry
      ? decodeJson(entry.value) as unknown as StoredChain
      : { epoch: 0, seq: 0 };
    const epoch = Math.max(previous.epoch + 1, Math.floor(now / 1000));
    const seq = previous.seq + 1;
    const versionstamp = await this.#store.commit({
      checks: [{ key: this.#key, versionstamp: entry?.versionstamp ?? null }],
      mutations: [this.#advance({ epoch, seq })],
      messages: [],
    });
    if (versionstamp === null) {
      throw new DomainError("conflict", "Cannot take over the database: another process is starting");
    }
    this.#epoch = epoch;
    this.#seq = seq;
    this.#versionstamp = versionstamp;
    this.#followsStop = previous.isLeft === true;
  }

  /** Commits the next group; false when the check fails. Appends the chain key to `mutations`. @throws Error from the store: unknown outcome */
  async commit(mutations: Mutation[], messages: readonly Message[]): Promise<boolean> {
    const seq = this.#seq + 1;
    mutations.push(this.#advance({ epoch: this.#epoch, seq }));
    const checks = [{ key: this.#key, versionstamp: this.#versionstamp }];
    const versionstamp = await this.#store.commit({ checks, mutations, messages });
    if (versionstamp === null) return false;
    this.#seq = seq;
    this.#versionstamp = versionstamp;
    return true;
  }

  /** The outcome of the last commit, after {@link commit} threw or returned false. @throws Error the database cannot be read */
  async outcome(): Promise<CommitOutcome> {
    const entry = await this.#store.get(this.#key);
    const chain = entry ? decodeJson(entry.value) as unknown as StoredChain : undefined;
    if (!entry || chain?.epoch !== this.#epoch) return "taken over";
    if (chain.seq === this.#seq) return "refused";
    if (chain.seq !== this.#seq + 1) return "unknown";
    this.#seq = chain.seq;
    this.#versionstamp = entry.versionstamp;
    return "written";
  }

  /** Marks a clean shutdown. If this write fails, the next process assumes a crash, which is safe. */
  async markStopped(): Promise<void> {
    if (this.#versionstamp === null) return;
    const checks = [{ key: this.#key, versionstamp: this.#versionstamp }];
    const left = this.#advance({ epoch: this.#epoch, seq: this.#seq + 1, isLeft: true });
    await Promise.allSettled([this.#store.commit({ checks, mutations: [left], messages: [] })]);
  }

  #advance(chain: StoredChain): Mutation {
    return { type: "set", key: this.#key, value: encodeJson({ ...chain }) };
  }
}
