/** Deno KV behind the {@link Store} interface. The only file that opens one. */
import type { Atomic, Key, ListOptions, Message, Selector, Store, StoredEntry } from "./store.ts";

/** Keys that `getMany` of Deno KV takes at once. */
const GET_MANY_KEYS = 10;
/** Entries of one page of a list; Deno KV allows 1,000 and a smaller page costs a round trip each. */
const LIST_BATCH = 500;

/** Gives up the reserve of disk space: the file is removed by whoever knows where it is. */
export type ReleaseReserve = () => Promise<boolean>;

/** A Deno KV database: a file, the hosted one (no path), or a server (URL). */
export class KvStore implements Store {
  readonly hasQueue: boolean;
  readonly #kv: Deno.Kv;
  readonly #releaseReserve: ReleaseReserve;

  private constructor(kv: Deno.Kv, hasQueue: boolean, releaseReserve: ReleaseReserve) {
    this.#kv = kv;
    this.hasQueue = hasQueue;
    this.#releaseReserve = releaseReserve;
  }

  /** Opens the database. @throws Error when it cannot be opened */
  static async open(
    path: string | undefined,
    releaseReserve: ReleaseReserve = () => Promise.resolve(false),
  ): Promise<KvStore> {
    const kv = await Deno.openKv(path);
    return new KvStore(kv, await canEnqueue(kv), releaseReserve);
  }

  /** @inheritdoc */
  async get(key: Key): Promise<StoredEntry | null> {
    const entry = await this.#kv.get<Uint8Array>(key as Deno.KvKey);
    return entry.versionstamp === null ? null : entry as StoredEntry;
  }

  /** @inheritdoc */
  async getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]> {
    const pages: Key[][] = [];
    for (let i = 0; i < keys.length; i += GET_MANY_KEYS) pages.push(keys.slice(i, i + GET_MANY_KEYS));
    const found = await Promise.all(
      pages.map((page) => this.#kv.getMany<Uint8Array[]>(page as Deno.KvKey[])),
    );
    return found.flat().map((entry) => entry.versionstamp === null ? null : entry as StoredEntry);
  }

  /** @inheritdoc */
  list(selector: Selector, options: ListOptions = {}): AsyncIterable<StoredEntry> {
    const batchSize = Math.min(options.limit ?? LIST_BATCH, LIST_BATCH);
    const found = this.#kv.list<Uint8Array>(selector as Deno.KvListSelector, { ...options, batchSize });
    return found as unknown as AsyncIterable<StoredEntry>;
  }

  /** @inheritdoc */
  async commit(atomic: Atomic): Promise<string | null> {
    const operation = this.#kv.atomic();
    for (const check of atomic.checks) operation.check(check as Deno.AtomicCheck);
    for (const mutation of atomic.mutations) {
      if (mutation.type === "set") operation.set(mutation.key as Deno.KvKey, mutation.value);
      else operation.delete(mutation.key as Deno.KvKey);
    }
    for (const message of atomic.messages) operation.enqueue(message.payload, queueOptions(message));
    const result = await operation.commit();
    return result.ok ? result.versionstamp : null;
  }

  /** @inheritdoc */
  listenQueue(handler: (payload: string) => Promise<void>): Promise<void> {
    return this.#kv.listenQueue((payload) => handler(String(payload)));
  }

  /** @inheritdoc */
  releaseReserve(): Promise<boolean> {
    return this.#releaseReserve();
  }

  /** @inheritdoc */
  close(): void {
    this.#kv.close();
  }
}

/** A lost message costs a wake-up, never an execution; so few and quick redeliveries are enough. */
function queueOptions(message: Message): { delay: number; backoffSchedule: number[] } {
  return { delay: message.delayMs, backoffSchedule: [1000, 5000] };
}

/** KV Connect refuses any atomic with a message before it looks at the checks; a file answers that the check failed. */
async function canEnqueue(kv: Deno.Kv): Promise<boolean> {
  try {
    const probe = kv.atomic().check({ key: ["__probe"], versionstamp: "00000000000000000001" }).enqueue("");
    return !(await probe.commit()).ok;
  } catch {
    return false;
  }
}
