/** The {@link Store} on Deno KV. No other file opens a Deno KV database. */
import type { DiskProblem } from "../model/server_health.ts";
import { type ReadFailed, readRefusal } from "./read_refusal.ts";
import type { Atomic, Key, KeyPart, ListOptions, Message, Selector, Store, StoredEntry } from "./store.ts";
import { TurnReads } from "./turn_reads.ts";

/** Key limit of one `getMany` of Deno KV. */
const GET_MANY_KEYS = 10;
/** Entries of one page of a list, each a round trip; Deno KV allows 1,000. */
const LIST_BATCH = 500;
/** Size limit of a key. Deno KV cannot store a longer key, and throws when one is read. */
const MAX_KEY_BYTES = 2_048;
/** Bytes of a number with its type byte. Bigints in keys are not longer, booleans are shorter. */
const MAX_PART_BYTES = 9;

const encoder = new TextEncoder();

/** The data directory of a database file. */
type Disk = Pick<Store, "releaseReserve" | "findDiskProblem" | "freeBytes">;

/** For a database that is no file here. */
const NO_DISK: Disk = {
  releaseReserve: () => Promise.resolve(false),
  findDiskProblem: () => Promise.resolve(undefined),
  freeBytes: () => Promise.resolve(Infinity),
};

interface KvOptions {
  readonly disk?: Disk;
  readonly readFailed?: ReadFailed;
  /** By default true. Several processes in turn cannot use the queue: what listens to it cannot stop before the store closes. */
  readonly usesQueue?: boolean;
}

/** A Deno KV database: a file, or the hosted one (no path). */
export class KvStore implements Store {
  readonly hasQueue: boolean;
  readonly #kv: Deno.Kv;
  readonly #disk: Disk;
  readonly #readFailed: ReadFailed;
  readonly #reads = new TurnReads<Key, StoredEntry | null>(GET_MANY_KEYS, (keys) => this.#getPage(keys));

  private constructor(kv: Deno.Kv, hasQueue: boolean, { disk = NO_DISK, readFailed = () => {} }: KvOptions) {
    this.#kv = kv;
    this.hasQueue = hasQueue;
    this.#disk = disk;
    this.#readFailed = readFailed;
  }

  /** Opens the database. @throws Error when it cannot be opened */
  static async open(path: string | undefined, options: KvOptions = {}): Promise<KvStore> {
    const kv = await Deno.openKv(path);
    return new KvStore(kv, options.usesQueue !== false && await canEnqueue(kv), options);
  }

  /** @inheritdoc Reads of the same turn go together: ten by one `getMany` take an eighth of the time of ten alone. */
  async get(key: Key): Promise<StoredEntry | null> {
    const [entry = null] = await this.#reads.get([key]);
    return entry;
  }

  async #getOne(key: Key): Promise<StoredEntry | null> {
    try {
      return storedOrNull(await this.#kv.get<Uint8Array>(key as Deno.KvKey));
    } catch (error) {
      if (isTooLong(key)) return null;
      throw readRefusal(error, this.#readFailed);
    }
  }

  /** @inheritdoc */
  async getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]> {
    const pages: Key[][] = [];
    for (let i = 0; i < keys.length; i += GET_MANY_KEYS) pages.push(keys.slice(i, i + GET_MANY_KEYS));
    return (await Promise.all(pages.map((page) => this.#getPage(page)))).flat();
  }

  async #getPage(keys: readonly Key[]): Promise<(StoredEntry | null)[]> {
    const [first] = keys;
    if (first && keys.length === 1) return [await this.#getOne(first)];
    try {
      return (await this.#kv.getMany<Uint8Array[]>(keys as Deno.KvKey[])).map(storedOrNull);
    } catch (error) {
      if (keys.some(isTooLong)) return await Promise.all(keys.map((key) => this.#getOne(key)));
      throw readRefusal(error, this.#readFailed);
    }
  }

  /** @inheritdoc */
  list(selector: Selector, options: ListOptions = {}): AsyncIterable<StoredEntry> {
    if ("prefix" in selector && isTooLong(selector.prefix)) return noEntries();
    const batchSize = Math.min(options.limit ?? LIST_BATCH, options.batchSize ?? LIST_BATCH);
    const found = this.#kv.list<Uint8Array>(selector as Deno.KvListSelector, { ...options, batchSize });
    return {
      [Symbol.asyncIterator]: () => this.#refusingErrors(found as unknown as AsyncIterator<StoredEntry>),
    };
  }

  /** Passes entries on; no generator, which would add three turns of the event loop to each entry. */
  #refusingErrors(entries: AsyncIterator<StoredEntry>): AsyncIterator<StoredEntry> {
    const refuse = (error: unknown) => {
      throw readRefusal(error, this.#readFailed);
    };
    return {
      next: () => entries.next().catch(refuse),
      return: (value) => entries.return?.(value) ?? Promise.resolve({ done: true, value }),
    };
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
  watch(key: Key, onChange: () => void): () => void {
    const reader = this.#kv.watch([key as Deno.KvKey]).getReader();
    const read = async () => {
      while (!(await reader.read()).done) onChange();
    };
    // It fails when the database closes.
    read().catch(() => {});
    return () => void reader.cancel().catch(() => {});
  }

  /** @inheritdoc */
  releaseReserve(): Promise<boolean> {
    return this.#disk.releaseReserve();
  }

  /** @inheritdoc */
  findDiskProblem(): Promise<DiskProblem | undefined> {
    return this.#disk.findDiskProblem();
  }

  /** @inheritdoc */
  freeBytes(): Promise<number> {
    return this.#disk.freeBytes();
  }

  /** @inheritdoc */
  close(): void {
    this.#kv.close();
  }
}

function storedOrNull(entry: Deno.KvEntryMaybe<Uint8Array>): StoredEntry | null {
  return entry.versionstamp === null ? null : entry as StoredEntry;
}

async function* noEntries(): AsyncGenerator<StoredEntry> {
  // No key is longer than the limit.
}

/** True when the key exceeds the size limit; names from clients can have any length. */
function isTooLong(key: Key): boolean {
  return key.reduce<number>((size, part) => size + sizeOf(part), 0) > MAX_KEY_BYTES;
}

/** Encoded bytes of a part: texts and byte strings take two delimiters, and each zero byte takes two bytes. */
function sizeOf(part: KeyPart): number {
  if (typeof part !== "string" && !(part instanceof Uint8Array)) return MAX_PART_BYTES;
  // Each character has at least one byte.
  if (part.length > MAX_KEY_BYTES) return part.length;
  const bytes = typeof part === "string" ? encoder.encode(part) : part;
  return bytes.reduce((size, byte) => size + (byte === 0 ? 2 : 1), 2);
}

/** A lost message delays a wake-up but loses no execution, so two quick redeliveries are enough. */
function queueOptions(message: Message): { delay: number; backoffSchedule: number[] } {
  return { delay: message.delayMs, backoffSchedule: [1000, 5000] };
}

/** Tries a message with a check that must fail: KV Connect throws because of the message, a file reports the failed check. */
async function canEnqueue(kv: Deno.Kv): Promise<boolean> {
  try {
    const probe = kv.atomic().check({ key: ["__probe"], versionstamp: "00000000000000000001" }).enqueue("");
    return !(await probe.commit()).ok;
  } catch {
    return false;
  }
}
