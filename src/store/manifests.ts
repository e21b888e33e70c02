/**
 * The list of live executions, so that a start reads a few keys instead of scanning all executions. A commit group that
 * makes executions live writes one manifest with their ids. The manifest is deleted when none of its ids is live.
 *
 * While an execution is live, one queue message is outstanding. Its delivery makes a process check for live executions
 * without an owner. One message for each execution would make the queue quadratic.
 */
import { decodeJson, encodeJson } from "./codec.ts";
import type { Contribution, Entry, GroupRider } from "./committer.ts";
import { manifestKey, manifestsOf } from "./keys.ts";
import { oldManifestsOf } from "./old_keys.ts";
import { deleteKey } from "./stored_entries.ts";
import type { Message, Mutation, Store } from "./store.ts";

/** An execution that was live when its manifest was written; it can have ended since. */
export interface ListedExecution {
  readonly tenant: string;
  readonly id: string;
  /** The manifest that lists it. */
  readonly seq: number;
}

/** Payload of the queue message. */
const SWEEP_MESSAGE = "sweep";
const SWEEP_DELAY_MS = 2_000;

interface Change {
  readonly started: string[];
  readonly ended: string[];
  readonly emptied: number[];
  readonly hasMessage: boolean;
}

/** The manifests of this process. */
export class Manifests implements GroupRider {
  readonly #instance: string;
  readonly #hasQueue: boolean;
  /** Manifest of each live execution. */
  readonly #manifestOf = new Map<string, number>();
  /** Live executions of each manifest. */
  readonly #counts = new Map<number, number>();
  #isMessagePending = false;
  #change: Change | undefined;

  constructor(instance: string, hasQueue: boolean) {
    this.#instance = instance;
    this.#hasQueue = hasQueue;
  }

  /** Number of live executions. */
  get liveCount(): number {
    return this.#manifestOf.size;
  }

  /** Number of manifests. */
  get manifestCount(): number {
    return this.#counts.size;
  }

  /** The live executions. */
  listed(): ListedExecution[] {
    return [...this.#manifestOf].map(([key, seq]) => {
      const [tenant, id] = key.split("/") as [string, string];
      return { tenant, id, seq };
    });
  }

  /** Moves the manifests of data of formats 1 to 3 to the keys of this version. Must be called before {@link read}. */
  async moveOld(store: Store, commit: (entry: Entry) => Promise<void>): Promise<void> {
    const old = await Array.fromAsync(store.list(oldManifestsOf(this.#instance)));
    await Promise.all(old.map(({ key, value }) => {
      const moved = manifestKey(this.#instance, Number(key[2]));
      return commit({ mutations: [{ type: "set", key: moved, value }, deleteKey(key)], bulk: true });
    }));
  }

  /** The executions in the manifests of earlier processes of this instance. */
  async read(store: Store): Promise<ListedExecution[]> {
    const listed: ListedExecution[] = [];
    for await (const entry of store.list(manifestsOf(this.#instance))) {
      const seq = Number(entry.key[2]);
      for (const [tenant, id] of decodeJson(entry.value) as [string, string][]) {
        listed.push({ tenant, id, seq });
      }
    }
    return listed;
  }

  /** Adopts manifests found at start; their executions are live until an entry ends them. */
  adopt(listed: readonly ListedExecution[]): void {
    for (const { tenant, id, seq } of listed) {
      if (this.#manifestOf.has(`${tenant}/${id}`)) continue;
      this.#manifestOf.set(`${tenant}/${id}`, seq);
      this.#counts.set(seq, (this.#counts.get(seq) ?? 0) + 1);
    }
  }

  /** The outstanding message was delivered; the next group enqueues another one while an execution is live. */
  messageDelivered(): void {
    this.#isMessagePending = false;
  }

  /** @inheritdoc */
  contribute(entries: readonly Entry[], seq: number): Contribution {
    this.#change = undefined;
    if (!entries.some((entry) => entry.facts?.liveness) && !this.#needsMessage) return NOTHING;
    const { started, ended } = this.#changesOf(entries);
    const emptied = this.#emptiedBy(ended);
    const hasMessage = this.#hasQueue && !this.#isMessagePending &&
      this.liveCount + started.length > ended.length;
    this.#change = { started, ended, emptied, hasMessage };
    const mutations: Mutation[] = emptied.map((number) => ({
      type: "delete",
      key: manifestKey(this.#instance, number),
    }));
    if (started.length > 0) {
      const value = encodeJson(started.map((key) => key.split("/")));
      mutations.push({ type: "set", key: manifestKey(this.#instance, seq), value });
    }
    return { mutations, messages: hasMessage ? [SWEEP] : [] };
  }

  /** @inheritdoc */
  committed(_entries: readonly Entry[], seq: number): void {
    const change = this.#change;
    if (!change) return;
    for (const key of change.ended) {
      const manifest = this.#manifestOf.get(key);
      if (manifest === undefined) continue;
      this.#manifestOf.delete(key);
      this.#counts.set(manifest, (this.#counts.get(manifest) ?? 1) - 1);
    }
    for (const number of change.emptied) this.#counts.delete(number);
    for (const key of change.started) this.#manifestOf.set(key, seq);
    if (change.started.length > 0) this.#counts.set(seq, change.started.length);
    if (change.hasMessage) this.#isMessagePending = true;
    this.#change = undefined;
  }

  /** @inheritdoc */
  refused(): void {
    this.#change = undefined;
  }

  get #needsMessage(): boolean {
    return this.#hasQueue && !this.#isMessagePending && this.#manifestOf.size > 0;
  }

  /** Keys that become live or stop being live; only the last change of a key within the group counts. */
  #changesOf(entries: readonly Entry[]): { started: string[]; ended: string[] } {
    const last = new Map<string, boolean>();
    for (const entry of entries) {
      for (const { tenant, id, live } of entry.facts?.liveness ?? []) last.set(`${tenant}/${id}`, live);
    }
    const started: string[] = [];
    const ended: string[] = [];
    for (const [key, live] of last) {
      const isListed = this.#manifestOf.has(key);
      if (live && !isListed) started.push(key);
      if (!live && isListed) ended.push(key);
    }
    return { started, ended };
  }

  #emptiedBy(ended: readonly string[]): number[] {
    const left = new Map<number, number>();
    for (const key of ended) {
      const manifest = this.#manifestOf.get(key) as number;
      left.set(manifest, (left.get(manifest) ?? this.#counts.get(manifest) ?? 0) - 1);
    }
    return [...left].filter(([, count]) => count <= 0).map(([number]) => number);
  }
}

const NOTHING: Contribution = { mutations: [], messages: [] };
const SWEEP: Message = { payload: SWEEP_MESSAGE, delayMs: SWEEP_DELAY_MS };
