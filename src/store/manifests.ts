/**
 * Which executions are live: a manifest for each group that made some so, gone when none of its ids is live any more.
 * A boot reads these few keys instead of looking for live executions among a million. While any is live one queue
 * message is outstanding, so that a queue delivery finds what no process owns; never one message an execution, because
 * the queue becomes quadratic.
 */
import { decodeJson, encodeJson } from "./codec.ts";
import type { Contribution, Entry, GroupRider } from "./committer.ts";
import { manifestKey, manifestsOf } from "./keys.ts";
import type { Message, Mutation, Store } from "./store.ts";

/** An execution that was live when the manifest was written; it may have ended since. */
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

/** Keeps the manifests of this process. */
export class Manifests implements GroupRider {
  readonly #instance: string;
  readonly #hasQueue: boolean;
  /** Manifest of each live execution. */
  readonly #manifestOf = new Map<string, number>();
  /** Live executions of each manifest. */
  readonly #counts = new Map<number, number>();
  #isMessageOut = false;
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

  /** What the manifests of an earlier process of this instance list. */
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

  /** Takes over manifests found at boot; their executions count as live until an entry says otherwise. */
  adopt(listed: readonly ListedExecution[]): void {
    for (const { tenant, id, seq } of listed) {
      if (this.#manifestOf.has(`${tenant}/${id}`)) continue;
      this.#manifestOf.set(`${tenant}/${id}`, seq);
      this.#counts.set(seq, (this.#counts.get(seq) ?? 0) + 1);
    }
  }

  /** The outstanding message was delivered: the next group enqueues another one while anything is live. */
  messageDelivered(): void {
    this.#isMessageOut = false;
  }

  /** @inheritdoc */
  contribute(entries: readonly Entry[], seq: number): Contribution {
    this.#change = undefined;
    if (!entries.some((entry) => entry.facts?.liveness) && !this.#owesMessage) return NOTHING;
    const { started, ended } = this.#changesOf(entries);
    const emptied = this.#emptiedBy(ended);
    const hasMessage = this.#hasQueue && !this.#isMessageOut &&
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
    if (change.hasMessage) this.#isMessageOut = true;
    this.#change = undefined;
  }

  /** @inheritdoc */
  refused(): void {
    this.#change = undefined;
  }

  get #owesMessage(): boolean {
    return this.#hasQueue && !this.#isMessageOut && this.#manifestOf.size > 0;
  }

  /** Keys that become live or stop being so; one that does both within the group does neither. */
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
