/** The {@link Store} on a server that speaks KV Connect, such as denokv or the hosted Deno KV. */
import type { DiskProblem } from "../../model/server_health.ts";
import { type ReadFailed, readRefusal } from "../read_refusal.ts";
import type { Atomic, Key, ListOptions, Selector, Store, StoredEntry } from "../store.ts";
import { TurnReads } from "../turn_reads.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import {
  decodeRead,
  decodeWrite,
  encodeRead,
  encodeWatch,
  encodeWrite,
  MAX_READ_ENTRIES,
  MAX_READ_RANGES,
  type RawEntry,
  type ReadRange,
} from "./data_path.ts";
import { decodeKey, encodeKey, endOfPrefix, keyAfter } from "./key_codec.ts";

/** Entries of one page of a list. */
const LIST_BATCH = 500;
/** Size limit of a key: the server refuses to read a longer one, so none exists. */
const MAX_KEY_BYTES = 2_048;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A database that is reached over HTTP. It has no queue, and commits that failed may be applied later. */
export class KvConnectStore implements Store {
  readonly hasQueue = false;
  readonly landsLate = true;
  readonly #connection: Connection;
  readonly #readFailed: ReadFailed;
  /** A request costs some 0.5 ms of the processor, and a take-over reads thousands of keys. */
  readonly #reads = new TurnReads<ReadRange, RawEntry[]>(MAX_READ_RANGES, (ranges) => this.#read(ranges));

  private constructor(connection: Connection, readFailed: ReadFailed) {
    this.#connection = connection;
    this.#readFailed = readFailed;
  }

  /** Connects. @throws Error when the server cannot be reached or refuses the token */
  static async open(options: ConnectionOptions, readFailed: ReadFailed = () => {}): Promise<KvConnectStore> {
    const connection = new Connection(options);
    await connection.open();
    return new KvConnectStore(connection, readFailed);
  }

  /** @inheritdoc */
  async get(key: Key): Promise<StoredEntry | null> {
    const [entry = null] = await this.getMany([key]);
    return entry;
  }

  /** @inheritdoc */
  async getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]> {
    const wanted = keys.map((key) => ({ key, bytes: encodeKey(key) }));
    const readable = wanted.filter(({ bytes }) => bytes.length <= MAX_KEY_BYTES);
    const pages: Promise<RawEntry[][]>[] = [];
    for (let i = 0; i < readable.length; i += MAX_READ_RANGES) {
      pages.push(this.#reads.get(readable.slice(i, i + MAX_READ_RANGES).map(({ bytes }) => only(bytes))));
    }
    const found = (await Promise.all(pages)).flat();
    const entries = new Map(readable.map(({ bytes }, index) => [bytes, found[index]?.[0]]));
    return wanted.map(({ key, bytes }) => withKey(entries.get(bytes), key));
  }

  /** @inheritdoc */
  list(selector: Selector, options: ListOptions = {}): AsyncIterable<StoredEntry> {
    return {
      [Symbol.asyncIterator]: () => new EntryList((range) => this.#read([range]), selector, options),
    };
  }

  async #read(ranges: readonly ReadRange[]): Promise<RawEntry[][]> {
    try {
      return decodeRead(await this.#connection.read(encodeRead(ranges)));
    } catch (error) {
      throw readRefusal(error, this.#readFailed);
    }
  }

  /** @inheritdoc */
  async commit(atomic: Atomic): Promise<string | null> {
    return decodeWrite(await this.#connection.write(encodeWrite(atomic), atomic.timeoutMs));
  }

  /** @inheritdoc */
  listenQueue(): Promise<void> {
    return Promise.reject(new Error("Cannot listen to the queue: KV Connect has none"));
  }

  /** @inheritdoc */
  watch(key: Key, onChange: () => void): () => void {
    return this.#connection.watch(encodeWatch(encodeKey(key)), onChange);
  }

  /** @inheritdoc */
  releaseReserve(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** @inheritdoc */
  findDiskProblem(): Promise<DiskProblem | undefined> {
    return Promise.resolve(undefined);
  }

  /** @inheritdoc */
  freeBytes(): Promise<number> {
    return Promise.resolve(Infinity);
  }

  /** @inheritdoc */
  close(): void {
    this.#connection.close();
  }
}

/** The range of one key. */
function only(key: Uint8Array): ReadRange {
  return { start: key, end: keyAfter(key), limit: 1, isReverse: false };
}

function withKey(entry: RawEntry | undefined, key: Key): StoredEntry | null {
  return entry ? { key, value: entry.value, versionstamp: entry.versionstamp } : null;
}

/** Reads the entries of a list page by page. No generator, which would add three turns of the event loop to each entry. */
class EntryList implements AsyncIterator<StoredEntry> {
  readonly #read: (range: ReadRange) => Promise<RawEntry[][]>;
  readonly #batchSize: number;
  readonly #isReverse: boolean;
  #start: Uint8Array;
  #end: Uint8Array;
  /** Entries that may still be read. */
  #left: number;
  #page: readonly RawEntry[] = [];
  #next = 0;

  constructor(
    read: (range: ReadRange) => Promise<RawEntry[][]>,
    selector: Selector,
    { limit = Infinity, reverse = false, batchSize = LIST_BATCH }: ListOptions,
  ) {
    this.#read = read;
    this.#batchSize = Math.min(batchSize, MAX_READ_ENTRIES);
    this.#isReverse = reverse;
    this.#left = limit;
    const start = encodeKey("prefix" in selector ? selector.prefix : selector.start);
    this.#start = "prefix" in selector ? keyAfter(start) : start;
    this.#end = "prefix" in selector ? endOfPrefix(start) : encodeKey(selector.end);
    if ("prefix" in selector && start.length > MAX_KEY_BYTES) this.#left = 0;
  }

  next(): Promise<IteratorResult<StoredEntry>> {
    const entry = this.#page[this.#next];
    if (!entry) return this.#nextOfPage();
    this.#next++;
    const { key, value, versionstamp } = entry;
    return Promise.resolve({ done: false, value: { key: decodeKey(key), value, versionstamp } });
  }

  return(): Promise<IteratorResult<StoredEntry>> {
    this.#left = 0;
    this.#page = [];
    return Promise.resolve(END);
  }

  async #nextOfPage(): Promise<IteratorResult<StoredEntry>> {
    if (this.#left <= 0) return END;
    const limit = Math.min(this.#left, this.#batchSize);
    const range = { start: this.#start, end: this.#end, limit, isReverse: this.#isReverse };
    const [page = []] = await this.#read(range);
    const last = page.at(-1);
    // The server may give fewer entries than it has.
    if (!last) return END;
    this.#left -= page.length;
    if (this.#isReverse) this.#end = last.key;
    else this.#start = keyAfter(last.key);
    this.#page = page;
    this.#next = 0;
    return await this.next();
  }
}
