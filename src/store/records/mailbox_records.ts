/**
 * The mailbox: requests that followers post and the leader responds to, where the leader has no address. The leader claims a
 * request by a key that it writes through its chain, and then reads the head again; a follower withdraws one by an atomic that
 * requires that key to be missing. So of claim and withdrawal only one has an effect, and no claim can fail a commit group.
 */
import type { CancelTimer, Clock, Instant } from "../../base/time/clock.ts";
import { idTime } from "../../base/id.ts";
import type { JsonValue } from "../../base/json.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import {
  mailBellKey,
  MAILBOX,
  POSTED_PROGRESS,
  POSTED_REQUESTS,
  postedBodyKey,
  postedClaimKey,
  postedProgressKey,
  postedRequestKey,
  postedResponseKey,
} from "../keys.ts";
import type { Key, Mutation, Store } from "../store.ts";
import { deleteKey } from "../stored_entries.ts";

/** A posted request. */
export interface PostedHead {
  /** Of the leader that it is meant for. */
  readonly epoch: number;
  /** Process that waits for the response. */
  readonly follower: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly client: {
    readonly remoteAddress?: string;
    readonly host: string;
    readonly scheme: "http" | "https";
  };
  /** Number of parts of the body; absent: it has none. */
  readonly bodyParts?: number;
}

/** The head of a response. */
interface ResponseHeadRecord {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
}

/** A part of the body of a response. */
export interface ResponsePart {
  /** `last`: no other follows; `broken`: the response broke off. */
  readonly mark: "more" | "last" | "broken";
  readonly bytes: Uint8Array;
}

/**
 * What became of a withdrawal. `expired`: there is no claim, but the request is so old that a claim may have been removed, so
 * it may have been handled.
 */
export type Withdrawal = "withdrawn" | "claimed" | "expired";

/** What belongs to no request under way is removed after this time, in milliseconds since the time of the id. */
export const ABANDONED_MS = 15 * 60_000;
/** From this age on, a missing claim proves nothing. The other half is for the difference between the clocks of two processes. */
const CLAIM_PROOF_MS = ABANDONED_MS / 2;
/** Largest part of a body: with its key it fits into a message that a database server sends at once. */
export const MAX_PART_BYTES = 14 * 1024;
/** Requests that are listed at once. */
const MAX_LISTED = 1_000;
/** Parts of a response that are read together. While the head is awaited each look reads them, and most responses have one more. */
const READ_PARTS = 10;
const FIRST_PARTS = 2;
/** Keys that are removed by one commit, and by one that posts a request. */
const MAX_REMOVED = 500;
const MAX_REMOVED_WITH_POST = 100;
/** Longest time until what was read is removed. */
const CLEAR_MS = 1_000;
const MARKS = ["more", "last", "broken"] as const;
/** Head of a request that was withdrawn while it was unknown whether it had been posted. */
const WITHDRAWN = "withdrawn";
/** Progress of a follower whose client is gone. */
const GONE = -1;

/** What a follower reads and writes: with atomics of its own, since it does not own the chain. */
export class FollowerMail implements Disposable {
  readonly #store: Store;
  readonly #clock: Clock;
  /** What is removed with the next post. */
  #removals: Mutation[] = [];
  #cancelRemoval: CancelTimer | undefined;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Stores parts of a body that belong before the head. @throws Error */
  async putBody(id: string, first: number, parts: readonly Uint8Array[]): Promise<void> {
    await this.#commit(bodyMutations(id, first, parts));
  }

  /** Posts a request with the last parts of its body, and wakes the leader. @throws UnsentError nothing was posted; another Error: perhaps */
  async post(id: string, head: PostedHead, { first, parts, leader }: {
    readonly first: number;
    readonly parts: readonly Uint8Array[];
    readonly leader: string;
  }): Promise<void> {
    const key = postedRequestKey(id);
    const posted = await this.#store.commit({
      checks: [{ key, versionstamp: null }],
      mutations: [
        ...bodyMutations(id, first, parts),
        set(key, encodeJson(head)),
        this.#bell(leader),
        ...this.#removals.splice(0, MAX_REMOVED_WITH_POST),
      ],
      messages: [],
    });
    if (posted === null) throw new Error("the request is posted already");
  }

  /** Withdraws a request. `isUnsure`: it may be posted later. @throws Error unknown outcome */
  async withdraw(id: string, isUnsure: boolean): Promise<Withdrawal> {
    const key = postedRequestKey(id);
    const mutation: Mutation = isUnsure ? set(key, encodeJson(WITHDRAWN)) : { type: "delete", key };
    const checks = [{ key: postedClaimKey(id), versionstamp: null }];
    if (await this.#store.commit({ checks, mutations: [mutation], messages: [] }) === null) return "claimed";
    // After the commit: the machine may have been suspended until now.
    return this.#clock.now() - idTime(id) < CLAIM_PROOF_MS ? "withdrawn" : "expired";
  }

  /** The parts of a response from the n-th on that are there, some at most. Part 0 is the head. */
  async readResponse(id: string, from: number): Promise<Uint8Array[]> {
    const length = from === 0 ? FIRST_PARTS : READ_PARTS;
    const keys = Array.from({ length }, (_, n) => postedResponseKey(id, from + n));
    const entries = await this.#store.getMany(keys);
    const missing = entries.indexOf(null);
    return (missing === -1 ? entries : entries.slice(0, missing)).map((entry) =>
      entry?.value ?? new Uint8Array()
    );
  }

  /** Removes the parts from `first` to before `end`, and says that they were read. */
  async confirm(id: string, [first, end]: readonly [number, number], leader: string): Promise<void> {
    const keys = Array.from({ length: end - first }, (_, n) => postedResponseKey(id, first + n));
    await this.#commit([
      ...keys.map(deleteKey),
      set(postedProgressKey(id), encodeJson(end)),
      this.#bell(leader),
    ]);
  }

  /** Says that the client is gone. */
  async leave(id: string, leader: string): Promise<void> {
    await this.#commit([set(postedProgressKey(id), encodeJson(GONE)), this.#bell(leader)]);
  }

  /**
   * Removes what is left of a request and of the read parts of its response, with the next post or soon: a commit of its own would
   * delay that post. What a failed commit leaves is swept.
   */
  clear(id: string, bodyParts: number, range: readonly [number, number]): void {
    for (const mutation of removalMutations(id, bodyParts, range)) this.#removals.push(mutation);
    this.#cancelRemoval ??= this.#clock.setTimer(CLEAR_MS, () => {
      this.#cancelRemoval = undefined;
      void this.#remove().catch(() => {});
    });
  }

  /** Ends what is planned. */
  [Symbol.dispose](): void {
    this.#cancelRemoval?.();
  }

  async #remove(): Promise<void> {
    while (this.#removals.length > 0) await this.#commit(this.#removals.splice(0, MAX_REMOVED));
  }

  #bell(leader: string): Mutation {
    return bellMutation(leader, this.#clock.now());
  }

  async #commit(mutations: readonly Mutation[]): Promise<void> {
    await this.#store.commit({ checks: [], mutations, messages: [] });
  }
}

/** What the leader reads of the mailbox. Its changes are mutations for the committer. */
export class LeaderMail {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Posted requests, oldest first. `head` is read from what is stored; `undefined` for one that was withdrawn. */
  async *posted(): AsyncGenerator<{ readonly id: string; readonly head: () => PostedHead | undefined }> {
    for await (const { key, value } of this.#store.list(POSTED_REQUESTS, { limit: MAX_LISTED })) {
      yield { id: String(key[2]), head: () => headOf(value) };
    }
  }

  /** What followers have read of responses: the number of parts, or -1 when the client is gone. */
  async progress(): Promise<ReadonlyMap<string, number>> {
    const entries = await Array.fromAsync(this.#store.list(POSTED_PROGRESS));
    return new Map(entries.map(({ key, value }) => [String(key[2]), decodeJson(value) as number]));
  }

  /** True unless the request was withdrawn before it was claimed. */
  async isPosted(id: string): Promise<boolean> {
    const entry = await this.#store.get(postedRequestKey(id));
    return entry !== null && headOf(entry.value) !== undefined;
  }

  /** Part n of a body; `undefined` when it is missing. */
  async bodyPart(id: string, n: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const entry = await this.#store.get(postedBodyKey(id, n));
    return entry?.value as Uint8Array<ArrayBuffer> | undefined;
  }

  /** The ids of requests of which something is stored, with the keys; bells have the name of their process. */
  async *all(): AsyncGenerator<{ readonly id: string; readonly key: Key; readonly bellTime?: number }> {
    for (const selector of MAILBOX) {
      for await (const { key, value } of this.#store.list(selector)) {
        if (key[1] === "w") yield { id: String(key[2]), key, bellTime: decodeJson(value) as number };
        else yield { id: String(key[0] === "mr" ? key[1] : key[2]), key };
      }
    }
  }
}

/** The claim of a request by the leader of an epoch. */
export function claimMutation(id: string, epoch: number): Mutation {
  return set(postedClaimKey(id), encodeJson(epoch));
}

/** The removal of all of a request, and of the response parts from `first` to before `end`. */
export function removalMutations(
  id: string,
  bodyParts: number,
  [first, end]: readonly [number, number],
): Mutation[] {
  const keys = [postedRequestKey(id), postedClaimKey(id), postedProgressKey(id)];
  for (let n = 0; n < bodyParts; n++) keys.push(postedBodyKey(id, n));
  for (let n = first; n < end; n++) keys.push(postedResponseKey(id, n));
  return keys.map(deleteKey);
}

/** The removal of a request that no leader handles any more. Its claim stays: it was perhaps handled. */
export function dropMutation(id: string): Mutation {
  return deleteKey(postedRequestKey(id));
}

/** The removal of a claim of a request that was withdrawn before. */
export function unclaimMutation(id: string): Mutation {
  return deleteKey(postedClaimKey(id));
}

/** The head of a response; ends that the request is listed. */
export function responseHeadMutations(id: string, head: ResponseHeadRecord): Mutation[] {
  return [deleteKey(postedRequestKey(id)), set(postedResponseKey(id, 0), encodeJson(head))];
}

/** Part n of a response, from 1. */
export function responsePartMutation(id: string, n: number, { mark, bytes }: ResponsePart): Mutation {
  const value = new Uint8Array(bytes.length + 1);
  value[0] = MARKS.indexOf(mark);
  value.set(bytes, 1);
  return set(postedResponseKey(id, n), value);
}

/** Wakes a process. */
export function bellMutation(process: string, time: Instant): Mutation {
  return set(mailBellKey(process), encodeJson(time));
}

/** Calls `onChange` after messages to a process, until the result is called. */
export function watchBell(store: Store, process: string, onChange: () => void): () => void {
  return store.watch(mailBellKey(process), onChange);
}

/** The head of a response from its part 0. */
export function readResponseHead(value: Uint8Array): ResponseHeadRecord {
  return decodeJson(value) as unknown as ResponseHeadRecord;
}

/** A part of a response from its value. */
export function readResponsePart(value: Uint8Array): ResponsePart {
  return { mark: MARKS[value[0] ?? 2] ?? "broken", bytes: value.subarray(1) };
}

/** `undefined` for a request that was withdrawn. */
function headOf(value: Uint8Array): PostedHead | undefined {
  const head: JsonValue = decodeJson(value);
  return head === WITHDRAWN ? undefined : head as unknown as PostedHead;
}

function bodyMutations(id: string, first: number, parts: readonly Uint8Array[]): Mutation[] {
  return parts.map((bytes, n) => set(postedBodyKey(id, first + n), bytes));
}

function set(key: Key, value: Uint8Array): Mutation {
  return { type: "set", key, value };
}
