/**
 * Files that one attempt writes and deletes. A few small ones ride in the commit that ends it; before they become too many
 * for one commit they are stored under an intent, which that commit removes. An intent found at boot is of an attempt that
 * did not come to its end: its files are removed.
 */
import type { Instant } from "../../base/clock.ts";
import { idTime } from "../../base/id.ts";
import { DomainError } from "../../model/errors.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { PendingFiles } from "../../model/executions/pending_files.ts";
import type { BlobRef, Blobs, StagedBlob } from "./blobs.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { executionFileKey, executionFilesBelow, FILE_INTENTS, fileIntentKey } from "../keys.ts";
import type { Key, Mutation, Selector, Store, StoredEntry } from "../store.ts";

/** A file as it is stored. */
export interface StoredFile {
  /** Bytes. */
  readonly size: number;
  /** Its content, which must be read to the end or cancelled. */
  open(): ReadableStream<Uint8Array>;
}

/** What batches work with. */
export interface FileBatchDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly blobs: Blobs;
  /** Of one file. */
  readonly maxBytes: number;
}

/** Where the files of a batch go. */
export interface FileBatchPlace {
  readonly tenant: TenantId;
  readonly executionId: string;
  /** Ends with a slash; below it lies every file of the batch. */
  readonly folder: string;
  /** An id; it marks the records of the batch. */
  readonly batchId: string;
}

/** Told of the files of a batch. */
interface FileBatchListener {
  /** A file was written; it waits for a commit. */
  begun(path: string): void;
  /** Files are durable, or were given up. */
  ended(paths: readonly string[]): void;
}

/** What rides in a commit at the most; several attempts may end with the same one. */
const MAX_CHANGES = 64;
const MAX_BYTES = 96 * 1024;
const DELETES_PER_ENTRY = 100;

interface Written {
  readonly writes: readonly Mutation[];
  readonly staged: readonly StagedBlob[];
  readonly paths: readonly string[];
}

/** The files of one attempt. */
export class FileBatch implements PendingFiles {
  readonly #deps: FileBatchDeps;
  readonly #place: FileBatchPlace;
  readonly #listener: FileBatchListener;
  #writes: Mutation[] = [];
  #deletions: Mutation[] = [];
  #bytes = 0;
  #staged: StagedBlob[] = [];
  #paths: string[] = [];
  /** Content of files that are not durable yet; `null` for those that will be deleted. */
  readonly #own = new Map<string, StagedBlob | null>();
  #retired: BlobRef[] = [];
  #isStored = false;
  #isOver = false;

  constructor(deps: FileBatchDeps, place: FileBatchPlace, listener: FileBatchListener) {
    this.#deps = deps;
    this.#place = place;
    this.#listener = listener;
  }

  /** @inheritdoc */
  get byteCount(): number {
    return this.#bytes;
  }

  /** Writes a file; its size. @throws DomainError conflict: the attempt is over; too_large, storage_full, unavailable */
  async add(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    this.#checkOpen();
    const { blobs, maxBytes } = this.#deps;
    const blob = await blobs.write(this.#owner, content, maxBytes);
    if (this.#isOver) await blobs.discard(this.#owner, blob);
    this.#checkOpen();
    const value = encodeJson([blob.blobId, blob.size, this.#place.batchId]);
    const record: Mutation = { type: "set", key: this.#keyOf(path), value };
    await this.#addWrites([...blob.mutations, record], blob, path);
    return blob.size;
  }

  /** Deletes a file of the execution; false when there is none. @throws DomainError conflict: the attempt is over */
  async delete(path: string): Promise<boolean> {
    const key = this.#keyOf(path);
    const entry = await this.#deps.store.get(key);
    this.#checkOpen();
    if (!entry) return false;
    const blob = blobOf(entry);
    this.#deletions.push({ type: "delete", key }, ...this.#deps.blobs.retire(this.#owner, blob));
    this.#retired.push(blob);
    this.#own.set(path, null);
    this.#paths.push(path);
    this.#listener.begun(path);
    // Too many for one commit: they take effect before the others.
    if (this.#deletions.length > MAX_CHANGES) await this.#deleteNow();
    return true;
  }

  /** A file as the attempt has left it: `null` when it has deleted it, `undefined` when it has done nothing that waits. */
  find(path: string): StoredFile | null | undefined {
    const blob = this.#own.get(path);
    if (!blob) return blob;
    const { blobs } = this.#deps;
    const source = blobs.sourceOf(this.#owner, blob);
    const open = () =>
      blobs.isChunked(blob)
        ? blobs.read(this.#owner, blob)
        : ReadableStream.from([0].map(() => source.read(0, source.size)));
    return { size: blob.size, open };
  }

  /** @inheritdoc */
  take(): readonly Mutation[] {
    this.#isOver = true;
    const intent: Mutation[] = this.#isStored ? [{ type: "delete", key: this.#intentKey }] : [];
    return [...this.#writes, ...this.#deletions, ...intent];
  }

  /** @inheritdoc */
  async committed(): Promise<void> {
    this.#end(this.#paths);
    await this.#removeRetired();
  }

  /** @inheritdoc */
  async discard(): Promise<void> {
    this.#isOver = true;
    this.#end(this.#paths);
    const removals = this.#staged.splice(0).map((blob) => this.#deps.blobs.discard(this.#owner, blob));
    // What cannot be removed now is removed at the next boot, by its intent.
    await Promise.allSettled([
      ...removals,
      this.#isStored ? removeBatch(this.#deps, this.#place) : undefined,
    ]);
  }

  get #owner() {
    return { tenant: this.#place.tenant, owner: this.#place.executionId };
  }

  get #intentKey() {
    return fileIntentKey(this.#place.tenant, this.#place.executionId, this.#place.batchId);
  }

  #keyOf(path: string) {
    return executionFileKey(this.#place.tenant, this.#place.executionId, path);
  }

  #checkOpen(): void {
    if (!this.#isOver) return;
    throw new DomainError("conflict", "Cannot change a file: the attempt has ended");
  }

  async #addWrites(mutations: readonly Mutation[], blob: StagedBlob, path: string): Promise<void> {
    const bytes = mutations.reduce((sum, each) => sum + (each.type === "set" ? each.value.length : 0), 0);
    const isFull = this.#writes.length + mutations.length > MAX_CHANGES || this.#bytes + bytes > MAX_BYTES;
    const stored = isFull ? this.#takeWrites() : undefined;
    this.#writes.push(...mutations);
    this.#bytes += bytes;
    this.#staged.push(blob);
    this.#paths.push(path);
    this.#own.set(path, blob);
    this.#listener.begun(path);
    if (stored) await this.#store(stored);
  }

  #takeWrites(): Written {
    const stored = { writes: this.#writes, staged: this.#staged, paths: this.#paths };
    [this.#writes, this.#staged, this.#bytes] = [[], [], 0];
    this.#paths = stored.paths.filter((path) => this.#own.get(path) === null);
    return stored;
  }

  /** Makes files durable under the intent of the batch. */
  async #store({ writes, staged, paths }: Written): Promise<void> {
    const intent: Mutation = { type: "set", key: this.#intentKey, value: encodeJson(this.#place.folder) };
    let isStored = false;
    try {
      await this.#deps.committer.commit({ mutations: [intent, ...writes], bulk: true });
      this.#isStored = true;
      isStored = true;
    } finally {
      if (!isStored) this.#staged.push(...staged);
      this.#end(paths.filter((path) => this.#own.get(path) !== null));
    }
  }

  #end(paths: readonly string[]): void {
    for (const path of paths) this.#own.delete(path);
    this.#listener.ended(paths);
  }

  async #deleteNow(): Promise<void> {
    const [mutations] = [this.#deletions, this.#deletions = []];
    const paths = this.#paths.filter((path) => this.#own.get(path) === null);
    this.#paths = this.#paths.filter((path) => this.#own.get(path) !== null);
    await this.#deps.committer.commit({ mutations, bulk: true });
    this.#end(paths);
    await this.#removeRetired();
  }

  async #removeRetired(): Promise<void> {
    const retired = this.#retired;
    this.#retired = [];
    await Promise.allSettled(retired.map((blob) => this.#deps.blobs.remove(this.#owner, blob)));
  }
}

/** Removes the files of attempts begun before `startedBefore` that did not come to their end; gives the number of attempts. */
export async function collectUnfinishedFiles(deps: FileBatchDeps, startedBefore: Instant): Promise<number> {
  const unfinished: FileBatchPlace[] = [];
  for await (const { key, value } of deps.store.list(FILE_INTENTS)) {
    const [, tenant, executionId, batchId] = key.map(String) as [string, string, string, string];
    if (idTime(batchId) >= startedBefore) continue;
    unfinished.push({ tenant, executionId, batchId, folder: String(decodeJson(value)) });
  }
  for (const place of unfinished) await removeBatch(deps, place);
  return unfinished.length;
}

/** The intent goes last, so that an interrupted removal goes on at the next boot. */
async function removeBatch(deps: FileBatchDeps, place: FileBatchPlace): Promise<void> {
  const { store, committer, blobs } = deps;
  const { tenant, executionId, folder, batchId } = place;
  const owner = { tenant, owner: executionId };
  const selector = executionFilesBelow(tenant, executionId, folder);
  let found = await batchEntries(store, selector, batchId);
  while (found.length > 0) {
    const mutations = found.flatMap(({ key, blob }): Mutation[] => [
      { type: "delete", key },
      ...blobs.retire(owner, blob),
    ]);
    await committer.commit({ mutations, bulk: true });
    for (const { blob } of found) await blobs.remove(owner, blob);
    found = await batchEntries(store, selector, batchId);
  }
  await committer.commit({
    mutations: [{ type: "delete", key: fileIntentKey(tenant, executionId, batchId) }],
  });
}

async function batchEntries(store: Store, selector: Selector, batchId: string) {
  const found: { readonly key: Key; readonly blob: BlobRef }[] = [];
  for await (const entry of store.list(selector)) {
    const isOfBatch = (decodeJson(entry.value) as string[])[2] === batchId;
    if (isOfBatch) found.push({ key: entry.key, blob: blobOf(entry) });
    if (found.length === DELETES_PER_ENTRY) break;
  }
  return found;
}

function blobOf({ value }: StoredEntry): BlobRef {
  const [blobId, size] = decodeJson(value) as [string, number];
  return { blobId, size };
}
