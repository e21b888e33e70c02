/**
 * Large values, stored in chunks. The record that refers to a value is its owner's record.
 *
 * - One chunk: committed in the same entry as the owner's record.
 * - More chunks: committed before the owner's record, through the bulk lane, under an intent key. The entry of the owner's
 *   record deletes the intent.
 * - Removal: the entry that drops the reference deletes a single chunk. Of a value with more chunks, or with readers that
 *   reach it by a former record, it sets the intent again; then the chunks are deleted, last chunk first.
 *
 * An intent that exists at start therefore marks an orphan, and its chunks always form a prefix of the value.
 */
import { releaseBytes } from "../../base/bytes.ts";
import type { Clock, Instant } from "../../base/time/clock.ts";
import { type IdSource, idTime } from "../../base/id.ts";
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { BLOB_CHUNK_BYTES } from "../../model/limits.ts";
import { type FilePart, partSize } from "../../model/ports/storage.ts";
import { bytesOfChunk, chunkCount, chunksOf, packChunk } from "./blob_chunks.ts";
import type { Committer } from "../committer.ts";
import { BLOB_INTENTS, blobChunkKey, blobIntentKey } from "../keys.ts";
import type { Key, Mutation, Store } from "../store.ts";
import { deleteKey, setJson } from "../stored_entries.ts";

/** Chunks that are compressed at once. */
const CHUNKS_PER_BATCH = 8;
/** Stored bytes of one upload that wait for a commit: one group when there are no other writes. */
const PAGE_BYTES = CHUNKS_PER_BATCH * BLOB_CHUNK_BYTES;
const MAX_PAGE_BYTES = PAGE_BYTES + BLOB_CHUNK_BYTES;
/** Their keys stay far below the key bytes of a group. */
const MAX_PAGE_CHUNKS = 128;
/** Chunks that a reader fetches at once. */
const CHUNKS_PER_READ = 8;
/** Deletes of one bulk entry. The database moves as many pages as a commit frees: 50 chunks take 11 ms, 200 take 74 ms. */
const DELETES_PER_ENTRY = 50;

/** The owner of a value. */
export interface BlobOwner {
  readonly tenant: TenantId;
  /** A namespace, an execution id, or the hash of an idempotency key. */
  readonly owner: string;
}

/** The reference to a value in a record, stored as `[blobId, size]`. An empty value has the id `""` and no chunks. */
export interface BlobRef {
  readonly blobId: string;
  readonly size: number;
}

/** The reference in a decoded `[blobId, size]`; further items are ignored. */
export function blobRefOf(stored: JsonValue): BlobRef {
  const [blobId, size] = stored as [string, number];
  return { blobId, size };
}

/** A value that becomes durable with the entry that contains `mutations`. */
export interface StagedBlob extends BlobRef {
  readonly mutations: readonly Mutation[];
}

/** Random access to bytes. */
export interface ByteSource {
  readonly size: number;
  /** `length` bytes from `offset`; fewer at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

interface BlobsOptions {
  readonly store: Store;
  readonly committer: Committer;
  readonly ids: IdSource;
  readonly clock: Clock;
}

/** A value, or an owner, with open readers; the removals run when the last reader ends. */
interface Pin {
  readers: number;
  removals?: (() => Promise<void>)[];
}

/** Writes, reads and removes large values. */
export class Blobs {
  readonly #options: BlobsOptions;
  /** By the id of the value, or the name of the owner. */
  readonly #pins = new Map<string, Pin>();

  constructor(options: BlobsOptions) {
    this.#options = options;
  }

  /**
   * Writes a value as it arrives; reads the source no faster than chunks become durable. The caller commits the returned
   * mutations with the owner's record, or calls {@link discard}.
   * @throws DomainError too_large: more than `maxBytes`; storage_full or unavailable: written chunks are removed
   */
  async write(owner: BlobOwner, source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedBlob> {
    const { ids, clock } = this.#options;
    const blobId = ids.next(clock.now());
    const upload = new Upload((first, page) => this.#storePage(owner, blobId, first, page));
    let batch: Uint8Array[] = [];
    let size = 0;
    let isDone = false;
    try {
      for await (const chunk of chunksOf(source, maxBytes)) {
        batch.push(chunk);
        size += chunk.length - 1;
        if (batch.length < CHUNKS_PER_BATCH) continue;
        await upload.add(batch);
        batch = [];
      }
      if (size > BLOB_CHUNK_BYTES) await upload.end(batch);
      isDone = true;
    } finally {
      // If this removal fails, the next start removes the orphan.
      if (!isDone) await Promise.allSettled([upload.abandon((count) => this.#delete(owner, blobId, count))]);
    }
    const [only] = batch;
    const { count } = upload;
    if (count > 0) return { blobId, size, mutations: [deleteKey(this.#intentKey(owner, blobId))] };
    if (only === undefined) return { blobId: "", size: 0, mutations: [] };
    return { blobId, size, mutations: [{ type: "set", key: chunkKey(owner, blobId, 0), value: only }] };
  }

  /** Like {@link write}, for bytes in memory. */
  writeBytes(owner: BlobOwner, bytes: Uint8Array): Promise<StagedBlob> {
    return this.write(owner, once(bytes), Infinity);
  }

  /**
   * Commits staged values with the mutations of their records; discards the values if that fails. `isUsed` is asked after
   * `build`: values that no record needs are discarded.
   * @throws DomainError
   */
  async commit(
    owner: BlobOwner,
    blobs: readonly StagedBlob[],
    build: () => readonly Mutation[] | Promise<readonly Mutation[]>,
    isUsed: (blob: StagedBlob) => boolean = () => true,
  ): Promise<void> {
    let unused = blobs;
    try {
      const changes = await build();
      const used = blobs.filter(isUsed);
      const mutations = [...changes, ...used.flatMap((blob) => blob.mutations)];
      if (mutations.length > 0) await this.#options.committer.commit({ mutations });
      unused = blobs.filter((blob) => !used.includes(blob));
    } finally {
      await Promise.all(unused.map((blob) => this.discard(owner, blob)));
    }
  }

  /** Removes a staged value that no record will refer to. If that fails, the next start removes it. */
  async discard(owner: BlobOwner, blob: BlobRef): Promise<void> {
    const count = chunkCount(blob.size);
    if (count > 1) await Promise.allSettled([this.#delete(owner, blob.blobId, count)]);
  }

  /**
   * The bytes, or a part of them, fetched on demand. A concurrent {@link remove} waits until the stream ends, so the caller must read it to
   * the end or cancel it. With `held` as the name of the owner, a removal of all its values waits too.
   */
  read(
    owner: BlobOwner,
    blob: BlobRef,
    part?: FilePart,
    held: string = blob.blobId,
  ): ReadableStream<Uint8Array> {
    const release = this.#pin(held);
    const { offset, length } = { offset: part?.offset ?? 0, length: partSize(blob.size, part) };
    const pages = new PageReader(
      offset,
      length,
      (first, end) => this.#chunks(owner, blob.blobId, first, end),
    );
    const end = async () => {
      await pages.end();
      await release();
    };
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        let isOpen = false;
        try {
          const page = await pages.next();
          if (page) controller.enqueue(page);
          isOpen = !pages.isDone;
          if (!isOpen) controller.close();
        } finally {
          if (!isOpen) await end();
        }
      },
      cancel: end,
    }, { highWaterMark: 0 });
  }

  /** `length` bytes from `offset`; fewer at the end of the value. */
  async readRange(owner: BlobOwner, blob: BlobRef, offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(offset + length, blob.size);
    if (end <= offset) return new Uint8Array();
    const first = Math.floor(offset / BLOB_CHUNK_BYTES);
    const chunks = await this.#chunks(owner, blob.blobId, first, chunkCount(end));
    const bytes = new Uint8Array(end - offset);
    copyChunks(chunks, first * BLOB_CHUNK_BYTES - offset, bytes);
    return bytes;
  }

  /** Random access to a staged value. The caller ends its use with {@link discard}. */
  sourceOf(owner: BlobOwner, blob: StagedBlob): ByteSource {
    const [only] = blob.mutations;
    const bytes = only?.type === "set" ? only.value.subarray(1) : new Uint8Array();
    return {
      size: blob.size,
      read: (offset, length) =>
        this.isChunked(blob)
          ? this.readRange(owner, blob, offset, length)
          : Promise.resolve(bytes.slice(offset, offset + length)),
    };
  }

  /**
   * True for more than one chunk. The chunks are not deleted in the same entry as the record, so a caller of {@link read}
   * must check afterwards that the record still refers to the value.
   */
  isChunked(blob: BlobRef): boolean {
    return chunkCount(blob.size) > 1;
  }

  /** Mutations for the entry that drops the reference; call {@link remove} once that entry is durable. */
  retire(owner: BlobOwner, blob: BlobRef): readonly Mutation[] {
    const count = chunkCount(blob.size);
    if (count === 0) return [];
    return count === 1 ? [deleteKey(chunkKey(owner, blob.blobId, 0))] : [this.mark(owner, blob)];
  }

  /** Removes a retired value when it has no readers left. If that fails, the next start removes it. */
  async remove(owner: BlobOwner, blob: BlobRef): Promise<void> {
    if (this.isChunked(blob)) await this.removeMarked(owner, blob);
  }

  /** Like {@link retire}, for a value that stays until {@link removeMarked}, which must be called for it. */
  mark(owner: BlobOwner, blob: BlobRef): Mutation {
    return this.#intent(owner, blob.blobId);
  }

  /** Removes a marked value when neither it nor its owner has readers left. If that fails, the next start removes it. */
  async removeMarked(owner: BlobOwner, blob: BlobRef): Promise<void> {
    await Promise.allSettled([this.#removeUnread(owner, blob.blobId, chunkCount(blob.size))]);
  }

  /** True while a value has readers. */
  isRead(blobId: string): boolean {
    return this.#pins.has(blobId);
  }

  /** Keeps all values of an owner until the returned function is called. A reader of records calls it before it reads the first. */
  hold(owner: string): () => void {
    return this.#pin(owner);
  }

  /** True if the values of an owner are being read; then `remove` is called once they are not. It must ask again. */
  defer(owner: string, remove: () => Promise<void>): boolean {
    const pin = this.#pins.get(owner);
    if (pin) (pin.removals ??= []).push(remove);
    return pin !== undefined;
  }

  /** Removes orphans created before `startedBefore`; returns their number. Must run at start, before any write. */
  async collectOrphans(startedBefore: Instant): Promise<number> {
    const orphans: Key[] = [];
    for await (const entry of this.#options.store.list(BLOB_INTENTS)) orphans.push(entry.key);
    let collected = 0;
    for (
      const [, tenant, owner, blobId] of orphans as unknown as readonly [string, string, string, string][]
    ) {
      if (idTime(blobId) >= startedBefore) continue;
      const blobOwner = { tenant, owner };
      await this.#removeUnread(blobOwner, blobId, await this.#countChunks(blobOwner, blobId));
      collected++;
    }
    return collected;
  }

  /** Makes the intent durable before the first chunks. The chunks are released once they are durable. */
  async #storePage(
    owner: BlobOwner,
    blobId: string,
    first: number,
    page: readonly Uint8Array[],
  ): Promise<void> {
    const { committer } = this.#options;
    if (first === 0) await committer.commit({ mutations: [this.#intent(owner, blobId)] });
    // One entry for each chunk, because the bulk lane gets only a part of a group.
    await Promise.all(page.map((value, index) => {
      const key = chunkKey(owner, blobId, first + index);
      return committer.commit({ mutations: [{ type: "set", key, value }], bulk: true });
    }));
    page.forEach(releaseBytes);
  }

  /** The last reader removes a value that is being read. */
  async #removeUnread(owner: BlobOwner, blobId: string, count: number): Promise<void> {
    const remove = () => this.#removeUnread(owner, blobId, count);
    if (this.defer(blobId, remove) || this.defer(owner.owner, remove)) return;
    await this.#delete(owner, blobId, count);
  }

  /** Deletes the last chunk first, so that the remaining chunks form a prefix; the intent goes with the first chunk. */
  async #delete(owner: BlobOwner, blobId: string, count: number): Promise<void> {
    let end = count;
    do {
      const start = Math.max(0, end - DELETES_PER_ENTRY);
      const mutations: Mutation[] = [];
      for (let n = start; n < end; n++) mutations.push(deleteKey(chunkKey(owner, blobId, n)));
      if (start === 0) mutations.push(deleteKey(this.#intentKey(owner, blobId)));
      await this.#options.committer.commit({ mutations, bulk: true });
      end = start;
    } while (end > 0);
  }

  /** Exponential, then binary search: 36 reads for 10 GiB instead of 170,000. */
  async #countChunks(owner: BlobOwner, blobId: string): Promise<number> {
    const exists = async (n: number) => await this.#options.store.get(chunkKey(owner, blobId, n)) !== null;
    let missing = 0;
    let present = -1;
    while (await exists(missing)) {
      present = missing;
      missing = missing * 2 + 1;
    }
    while (missing - present > 1) {
      const middle = (present + missing) >> 1;
      if (await exists(middle)) present = middle;
      else missing = middle;
    }
    return missing;
  }

  /** By a range: a search for a key reads the complete values that it passes, so that a read by keys takes three times as long. */
  async #chunks(owner: BlobOwner, blobId: string, first: number, end: number): Promise<Uint8Array[]> {
    const range = { start: chunkKey(owner, blobId, first), end: chunkKey(owner, blobId, end) };
    const limit = end - first;
    const chunks: Uint8Array[] = [];
    for await (const { key, value } of this.#options.store.list(range, { limit, batchSize: limit })) {
      if (key.at(-1) !== first + chunks.length) break;
      const bytes = bytesOfChunk(value);
      if (bytes === undefined) break;
      if (bytes.buffer !== value.buffer) releaseBytes(value);
      chunks.push(bytes);
    }
    if (chunks.length === limit) return chunks;
    const missing = first + chunks.length;
    throw new Error(
      `Cannot read a large value: chunk ${missing} of "${blobId}" is missing or of an unknown format`,
    );
  }

  #pin(name: string): () => Promise<unknown> | undefined {
    const pin: Pin = this.#pins.get(name) ?? { readers: 0 };
    this.#pins.set(name, pin);
    pin.readers++;
    let isHeld = true;
    return () => {
      if (!isHeld) return undefined;
      isHeld = false;
      if (--pin.readers > 0) return undefined;
      this.#pins.delete(name);
      // If a removal fails, the next start removes the orphan.
      return pin.removals && Promise.allSettled(pin.removals.map((remove) => remove()));
    };
  }

  #intentKey(owner: BlobOwner, blobId: string): Key {
    return blobIntentKey(owner.tenant, owner.owner, blobId);
  }

  #intent(owner: BlobOwner, blobId: string): Mutation {
    return setJson(this.#intentKey(owner, blobId), null);
  }
}

/** Chunks on their way from the store: while a page is used, the next one is read. */
class PageReader {
  readonly #end: number;
  readonly #read: (first: number, end: number) => Promise<Uint8Array[]>;
  /** Offset of the first byte of the next read. */
  #next: number;
  #ahead: Promise<Uint8Array> | undefined;

  constructor(offset: number, length: number, read: (first: number, end: number) => Promise<Uint8Array[]>) {
    this.#next = offset;
    this.#end = offset + length;
    this.#read = read;
  }

  /** True after the last page. */
  get isDone(): boolean {
    return this.#next >= this.#end && this.#ahead === undefined;
  }

  /** The bytes of the next chunks; `undefined` after the last. */
  async next(): Promise<Uint8Array | undefined> {
    const page = this.#ahead ?? this.#begin();
    this.#ahead = this.#begin();
    // Its failure is seen when its turn comes.
    this.#ahead?.catch(() => {});
    return await page;
  }

  /** Waits for the read that is under way. */
  async end(): Promise<void> {
    await this.#ahead?.catch(() => {});
  }

  #begin(): Promise<Uint8Array> | undefined {
    const offset = this.#next;
    if (offset >= this.#end) return undefined;
    const first = Math.floor(offset / BLOB_CHUNK_BYTES);
    const end = Math.min((first + CHUNKS_PER_READ) * BLOB_CHUNK_BYTES, this.#end);
    this.#next = end;
    return this.#page(offset, end);
  }

  /** One piece for several chunks: each piece of a stream costs its reader a turn of the event loop, and a write its own thread. */
  async #page(offset: number, end: number): Promise<Uint8Array> {
    const first = Math.floor(offset / BLOB_CHUNK_BYTES);
    const chunks = await this.#read(first, chunkCount(end));
    const bytes = new Uint8Array(end - offset);
    copyChunks(chunks, first * BLOB_CHUNK_BYTES - offset, bytes);
    for (const { buffer } of chunks) releaseBytes(new Uint8Array(buffer));
    return bytes;
  }
}

/** Copies chunks of which the first begins at position `at` of `bytes`, which may be before them; what is outside is left out. */
function copyChunks(chunks: readonly Uint8Array[], at: number, bytes: Uint8Array): void {
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(Math.max(0, -at), Math.max(0, bytes.length - at)), Math.max(0, at));
    at += chunk.length;
  }
}

/** Chunks on their way to the store: while one page is committed, the next one is read and compressed. */
class Upload {
  /** Chunks that are stored, or on their way. */
  count = 0;
  readonly #store: (first: number, page: readonly Uint8Array[]) => Promise<void>;
  #page: Uint8Array[] = [];
  #pageBytes = 0;
  #storing: Promise<void> | undefined;
  #mayShrink = true;

  constructor(store: (first: number, page: readonly Uint8Array[]) => Promise<void>) {
    this.#store = store;
  }

  /** Takes the next chunks. */
  async add(chunks: readonly Uint8Array[]): Promise<void> {
    const packed = this.#mayShrink ? chunks.map(packAndRelease) : chunks;
    // Content that is compressed already stays so.
    if (packed.every((chunk, index) => chunk === chunks[index])) this.#mayShrink = false;
    for (const chunk of packed) {
      if (this.#pageBytes + chunk.length > MAX_PAGE_BYTES) await this.#begin();
      this.#page.push(chunk);
      this.#pageBytes += chunk.length;
    }
    if (this.#pageBytes >= PAGE_BYTES || this.#page.length >= MAX_PAGE_CHUNKS) await this.#begin();
  }

  /** Stores all chunks. */
  async end(chunks: readonly Uint8Array[]): Promise<void> {
    await this.add(chunks);
    await this.#begin();
    await this.#storing;
  }

  /** Removes what is stored. */
  async abandon(remove: (count: number) => Promise<void>): Promise<void> {
    await this.#storing?.catch(() => {});
    if (this.count > 0) await remove(this.count);
  }

  async #begin(): Promise<void> {
    await this.#storing;
    const [page, first] = [this.#page, this.count];
    if (page.length === 0) return;
    [this.#page, this.#pageBytes] = [[], 0];
    this.count += page.length;
    this.#storing = this.#store(first, page);
    // A failure is seen at the next page or at the end.
    this.#storing.catch(() => {});
  }
}

function packAndRelease(chunk: Uint8Array): Uint8Array {
  const packed = packChunk(chunk);
  if (packed !== chunk) releaseBytes(chunk);
  return packed;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield bytes;
}

function chunkKey(owner: BlobOwner, blobId: string, n: number): Key {
  return blobChunkKey(owner.tenant, owner.owner, blobId, n);
}
