/** Files that tasks of a flow cache between executions: a zip per task, stored as a blob of the namespace. */
import type { Clock } from "../../base/time/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { AttemptIdentity } from "../../model/executions/attempt_identity.ts";
import type { CachedFile, FlowCachePort } from "../../model/ports/flow_caches.ts";
import type { BlobRef, Blobs } from "../../store/blobs/blobs.ts";
import { decodeJson, encodeJson } from "../../store/codec.ts";
import { flowCacheKey } from "../../store/keys.ts";
import type { Key, Store } from "../../store/store.ts";
import { type ArchiveItem, packArchive, unpackEntry } from "./file_archive.ts";
import { readZipDirectory } from "./zip_directory.ts";

interface FlowCachesDeps {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** Largest size of one cache. */
  readonly maxBytes: number;
}

interface StoredCache extends BlobRef {
  readonly savedAt: number;
}

/** The cache port of tasks. */
export class FlowCaches implements FlowCachePort {
  readonly #deps: FlowCachesDeps;
  readonly #locks = new KeyedLock();

  constructor(deps: FlowCachesDeps) {
    this.#deps = deps;
  }

  /** @inheritdoc */
  async isFresh(attempt: AttemptIdentity, ttlMs = Infinity): Promise<boolean> {
    const found = await this.#find(attempt);
    return found !== undefined && this.#deps.clock.now() - found.savedAt < ttlMs;
  }

  /** @inheritdoc */
  async restore(attempt: AttemptIdentity, put: Parameters<FlowCachePort["restore"]>[1]): Promise<void> {
    await this.#exclusively(attempt, async () => {
      const found = await this.#find(attempt);
      if (!found) return;
      const read = (offset: number, length: number) =>
        this.#deps.blobs.readRange(ownerOf(attempt), found, offset, length);
      const source = { size: found.size, read };
      const directory = await readZipDirectory(source);
      for (const entry of directory.entries) {
        if (!entry.isDirectory) {
          await put(entry.path, ReadableStream.from(unpackEntry(source, directory, entry)));
        }
      }
    });
  }

  /** @inheritdoc */
  async save(attempt: AttemptIdentity, files: AsyncIterable<CachedFile>): Promise<void> {
    const { blobs, clock, maxBytes } = this.#deps;
    const owner = ownerOf(attempt);
    const blob = await blobs.write(owner, packArchive(itemsOf(files, clock.now())), maxBytes);
    await this.#exclusively(attempt, async () => {
      const old = await this.#find(attempt);
      const value = encodeJson([blob.blobId, blob.size, clock.now()]);
      await blobs.commit(owner, [blob], () => [
        { type: "set", key: keyOf(attempt), value },
        ...old ? blobs.retire(owner, old) : [],
      ]);
      if (old) await blobs.remove(owner, old);
    });
  }

  async #find(attempt: AttemptIdentity): Promise<StoredCache | undefined> {
    const entry = await this.#deps.store.get(keyOf(attempt));
    if (!entry) return undefined;
    const [blobId, size, savedAt] = decodeJson(entry.value) as [string, number, number];
    return { blobId, size, savedAt };
  }

  #exclusively(attempt: AttemptIdentity, work: () => Promise<void>): Promise<void> {
    return this.#locks.run(JSON.stringify(keyOf(attempt)), work);
  }
}

async function* itemsOf(files: AsyncIterable<CachedFile>, modifiedAt: number): AsyncGenerator<ArchiveItem> {
  for await (const { name: path, open } of files) yield { path, modifiedAt, content: open };
}

function keyOf({ tenant, namespace, flowId, taskId }: AttemptIdentity): Key {
  return flowCacheKey(tenant, { namespace, id: flowId }, taskId);
}

function ownerOf({ tenant, namespace }: AttemptIdentity) {
  return { tenant, owner: namespace };
}
