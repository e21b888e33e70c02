/**
 * Files that one attempt writes and deletes. They are committed with the end of the attempt. Files that are too many for
 * one commit are stored earlier, under an intent that the commit of the end deletes. An intent that exists at start
 * belongs to an attempt that never ended; its files are removed.
 */
import type { Instant } from "../../base/time/clock.ts";
import { idTime } from "../../base/id.ts";
import type { JsonValue } from "../../base/json.ts";
import type { FileQuota, QuotaHold } from "../../model/access/quota.ts";
import { DomainError } from "../../model/errors.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { type FilePart, partSize } from "../../model/ports/storage.ts";
import type { PendingFiles } from "../../model/executions/pending_files.ts";
import { type BlobOwner, type BlobRef, blobRefOf, type Blobs, type StagedBlob } from "./blobs.ts";
import { decodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { executionFileKey, executionFilesBelow, FILE_INTENTS, fileIntentKey } from "../keys.ts";
import type { Key, Mutation, Selector, Store } from "../store.ts";
import { deleteKey, setJson } from "../stored_entries.ts";

/** A stored file. */
export interface StoredFile {
  /** Bytes. */
  readonly size: number;
  /** The content, or a part of it; the caller must read it to the end or cancel it. */
  open(part?: FilePart): ReadableStream<Uint8Array>;
}

/** Dependencies of batches. */
export interface FileBatchDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly blobs: Blobs;
  /** Size limit of one file. */
  readonly maxBytes: number;
  /** Limits the files of a tenant; absent: no limit. */
  readonly quota?: FileQuota;
}

/** The location of a batch. */
export interface FileBatchPlace {
  readonly tenant: TenantId;
  readonly executionId: string;
  /** The folder of all files of the batch; ends with a slash. */
  readonly folder: string;
  /** An id, stored in the records of the batch. */
  readonly batchId: string;
}

/** Observes the files of a batch. */
interface FileBatchListener {
  /** A file was written but is not durable yet. */
  begun(path: string): void;
  /** Files became durable or were discarded. */
  ended(paths: readonly string[]): void;
}

/** Limits of one batch in a commit. A commit can end several attempts. */
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
  /** Contents of files that are not durable yet; `null` for files that will be deleted. */
  readonly #own = new Map<string, StagedBlob | null>();
  #retired: BlobRef[] = [];
  #holds: QuotaHold[] = [];
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

  /** Writes a file; returns its size. @throws DomainError conflict: the attempt has ended; too_large, quota_exceeded, storage_full, unavailable */
  async add(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    this.#checkOpen();
    const { blobs } = this.#deps;
    const { blob, hold } = await writeWithinQuota(this.#deps, this.#owner, content);
    if (hold) this.#holds.push(hold);
    if (this.#isOver) await blobs.discard(this.#owner, blob);
    this.#checkOpen();
    const record = setJson(this.#keyOf(path), [blob.blobId, blob.size, this.#place.batchId]);
    await this.#addWrites([...blob.mutations, record], blob, path);
    return blob.size;
  }

  /** Deletes a file of the execution; false when it does not exist. @throws DomainError conflict: the attempt has ended */
  async delete(path: string): Promise<boolean> {
    const key = this.#keyOf(path);
    const entry = await this.#deps.store.get(key);
    this.#checkOpen();
    if (!entry) return false;
    const blob = blobRefOf(decodeJson(entry.value));
    this.#deletions.push(deleteKey(key), ...this.#deps.blobs.retire(this.#owner, blob));
    this.#retired.push(blob);
    this.#own.set(path, null);
    this.#paths.push(path);
    this.#listener.begun(path);
    // Too many for one commit: these deletions take effect before the end of the attempt.
    if (this.#deletions.length > MAX_CHANGES) await this.#deleteNow();
    return true;
  }

  /** A file that the attempt changed and that is not durable yet: `null` when it was deleted, `undefined` when unchanged. */
  find(path: string): StoredFile | null | undefined {
    const blob = this.#own.get(path);
    if (!blob) return blob;
    const { blobs } = this.#deps;
    const source = blobs.sourceOf(this.#owner, blob);
    const open = (part?: FilePart) =>
      blobs.isChunked(blob)
        ? blobs.read(this.#owner, blob, part)
        : ReadableStream.from([part?.offset ?? 0].map((at) => source.read(at, partSize(source.size, part))));
    return { size: blob.size, open };
  }

  /** @inheritdoc */
  take(): readonly Mutation[] {
    this.#isOver = true;
    const intent = this.#isStored ? [deleteKey(this.#intentKey)] : [];
    return [...this.#writes, ...this.#deletions, ...intent];
  }

  /** @inheritdoc */
  async committed(): Promise<void> {
    this.#end(this.#paths);
    this.#endHolds(true);
    await this.#remove(this.#retired.splice(0));
  }

  /** @inheritdoc */
  async discard(): Promise<void> {
    this.#isOver = true;
    this.#endHolds(false);
    this.#end(this.#paths);
    const removals = this.#staged.splice(0).map((blob) => this.#deps.blobs.discard(this.#owner, blob));
    // If this removal fails, the next start removes the files by their intent.
    await Promise.allSettled([
      ...removals,
      this.#isStored ? removeBatch(this.#deps, this.#place) : undefined,
    ]);
  }

  #endHolds(isStored: boolean): void {
    for (const hold of this.#holds.splice(0)) hold.end(isStored);
  }

  get #owner(): BlobOwner {
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
    const intent = setJson(this.#intentKey, this.#place.folder);
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
    const paths = this.#paths.filter((path) => this.#own.get(path) === null);
    this.#paths = this.#paths.filter((path) => this.#own.get(path) !== null);
    const [mutations, retired] = [this.#deletions.splice(0), this.#retired.splice(0)];
    try {
      await this.#deps.committer.commit({ mutations, bulk: true });
    } finally {
      // If the commit is refused, the files stay.
      this.#end(paths);
    }
    await this.#remove(retired);
  }

  async #remove(retired: readonly BlobRef[]): Promise<void> {
    await Promise.allSettled(retired.map((blob) => this.#deps.blobs.remove(this.#owner, blob)));
  }
}

/** Stores the content of a file if the quota of its tenant allows. @throws DomainError too_large, quota_exceeded, storage_full, unavailable */
export async function writeWithinQuota(
  { blobs, maxBytes, quota }: FileBatchDeps,
  owner: BlobOwner,
  content: AsyncIterable<Uint8Array>,
): Promise<{ readonly blob: StagedBlob; readonly hold?: QuotaHold }> {
  if (!quota) return { blob: await blobs.write(owner, content, maxBytes) };
  const blob = await quota.bounded(owner.tenant, maxBytes, (most) => blobs.write(owner, content, most));
  try {
    return { blob, hold: await quota.holdBytes(owner.tenant, blob.size) };
  } catch (error) {
    await blobs.discard(owner, blob);
    throw error;
  }
}

/** Removes the files of attempts that started before `startedBefore` and never ended; returns the number of attempts. */
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

/** Deletes the intent last, so that the next start continues an interrupted removal. */
async function removeBatch(deps: FileBatchDeps, place: FileBatchPlace): Promise<void> {
  const { store, committer, blobs } = deps;
  const { tenant, executionId, folder, batchId } = place;
  const owner = { tenant, owner: executionId };
  const selector = executionFilesBelow(tenant, executionId, folder);
  let found = await batchEntries(store, selector, batchId);
  while (found.length > 0) {
    const mutations = found.flatMap(({ key, blob }) => [deleteKey(key), ...blobs.retire(owner, blob)]);
    await committer.commit({ mutations, bulk: true });
    for (const { blob } of found) await blobs.remove(owner, blob);
    found = await batchEntries(store, selector, batchId);
  }
  await committer.commit({ mutations: [deleteKey(fileIntentKey(tenant, executionId, batchId))] });
}

async function batchEntries(store: Store, selector: Selector, batchId: string) {
  const found: { readonly key: Key; readonly blob: BlobRef }[] = [];
  for await (const { key, value } of store.list(selector)) {
    const stored = decodeJson(value) as [blobId: string, size: number, batchId?: string];
    if (stored[2] === batchId) found.push({ key, blob: blobRefOf(stored as JsonValue[]) });
    if (found.length === DELETES_PER_ENTRY) break;
  }
  return found;
}
