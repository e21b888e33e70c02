/**
 * The chain of commits of one writer: each checks and advances one key, which is the fence against a second writer, and
 * tells afterwards whether a commit of unknown outcome happened.
 */
import type { Instant } from "../base/clock.ts";
import { DomainError } from "../model/errors.ts";
import { decodeJson, encodeJson } from "./codec.ts";
import { chainKey } from "./keys.ts";
import type { Key, Message, Mutation, Store } from "./store.ts";

/** The last write of a process, as the next one finds it. */
interface StoredChain {
  readonly epoch: number;
  readonly seq: number;
  /** It was stopped in order. */
  readonly isLeft?: boolean;
}

/** What has become of a commit; `unknown`: somebody has written who may not. */
type CommitOutcome = "written" | "refused" | "taken over" | "unknown";

/** The chain as this process knows it. */
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

  /** Whether the process before has left the chain in order. */
  get followsStop(): boolean {
    return this.#followsStop;
  }

  /** Whoever wrote before is fenced from now on. @throws DomainError conflict: another process does the same */
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

  /** Commits the next group; false when the check fails. The list is added to. @throws Error as the store does */
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

  /** What has become of a commit that was not answered well. @throws Error the database cannot be read */
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

  /** Tells the next process that this one has stopped in order. What cannot be told does no harm: it is taken for a crash. */
  async leave(): Promise<void> {
    if (this.#versionstamp === null) return;
    const checks = [{ key: this.#key, versionstamp: this.#versionstamp }];
    const left = this.#advance({ epoch: this.#epoch, seq: this.#seq + 1, isLeft: true });
    await Promise.allSettled([this.#store.commit({ checks, mutations: [left], messages: [] })]);
  }

  #advance(chain: StoredChain): Mutation {
    return { type: "set", key: this.#key, value: encodeJson({ ...chain }) };
  }
}
