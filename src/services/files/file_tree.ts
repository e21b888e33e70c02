/** Parent directories of changed files, and batches of changes. */
import type { Instant } from "../../base/time/clock.ts";
import { type DomainError, illegalArgument } from "../../model/errors.ts";
import { parentPath, parentPaths } from "../../model/namespaces/file_path.ts";
import type { BlobOwner, BlobRef, Blobs } from "../../store/blobs/blobs.ts";
import type { Committer } from "../../store/committer.ts";
import type { FileRecord, FileRecords, FileSpace } from "../../store/records/file_records.ts";
import type { Key, Mutation } from "../../store/store.ts";

/** Mutations of one entry: a little below the limit of a commit group. */
const MAX_BATCH_MUTATIONS = 800;
const MAX_BATCH_KEY_BYTES = 60_000;

/** New records of missing parent directories. @throws DomainError invalid_argument: one of them is a file */
export async function missingParents(
  records: FileRecords,
  space: FileSpace,
  paths: readonly string[],
  now: Instant,
): Promise<FileRecord[]> {
  const parents = [...new Set(paths.flatMap(parentPaths))];
  const found = await records.getMany(space, parents);
  const missing: FileRecord[] = [];
  for (const [index, path] of parents.entries()) {
    const record = found[index];
    if (record === undefined) missing.push({ path, createdAt: now, modifiedAt: now, revision: 0 });
    else if (record.content) throw notADirectory(path);
  }
  return missing;
}

/** The parent directories of `path` that contain nothing else, innermost first. */
export async function emptiedParents(
  records: FileRecords,
  space: FileSpace,
  path: string,
): Promise<string[]> {
  const emptied: string[] = [];
  for (let child = path; parentPath(child) !== ""; child = parentPath(child)) {
    for await (const sibling of records.listChildren(space, parentPath(child))) {
      if (sibling.path !== child) return emptied;
    }
    emptied.push(parentPath(child));
  }
  return emptied;
}

/** The refusal of a file where a directory is needed. */
export function notADirectory(path: string): DomainError {
  return illegalArgument(`path ${JSON.stringify(path)} is a file, not a directory`);
}

/** The refusal of a directory where a file is needed. */
export function notAFile(path: string): DomainError {
  return illegalArgument(`path ${JSON.stringify(path)} is a directory, not a file`);
}

/** True if an entry with these keys exceeds the limits of a batch. */
export function isBatchFull(count: number, keyBytes: number): boolean {
  return count > MAX_BATCH_MUTATIONS || keyBytes > MAX_BATCH_KEY_BYTES;
}

/** Upper bound of the bytes of a key. */
function keyBytesOf(key: Key): number {
  return key.reduce<number>((sum, part) => sum + (typeof part === "string" ? part.length * 3 + 2 : 10), 0);
}

/** Commits changes in order, in as few entries as possible. */
export class ChangeBatch {
  readonly #committer: Committer;
  readonly #blobs: Blobs;
  readonly #owner: BlobOwner;
  #mutations: Mutation[] = [];
  #keyBytes = 0;
  #retired: BlobRef[] = [];

  constructor(committer: Committer, blobs: Blobs, owner: BlobOwner) {
    this.#committer = committer;
    this.#blobs = blobs;
    this.#owner = owner;
  }

  /** Adds changes that belong into one entry; `retired` are contents that they no longer reference. */
  async add(changes: readonly Mutation[], retired: readonly BlobRef[] = []): Promise<void> {
    const mutations = [...changes, ...retired.flatMap((blob) => this.#blobs.retire(this.#owner, blob))];
    const keyBytes = mutations.reduce((sum, mutation) => sum + keyBytesOf(mutation.key), 0);
    if (isBatchFull(this.#mutations.length + mutations.length, this.#keyBytes + keyBytes)) await this.flush();
    this.#mutations.push(...mutations);
    this.#keyBytes += keyBytes;
    this.#retired.push(...retired);
  }

  /** Commits the added changes; resolves once they are durable. */
  async flush(): Promise<void> {
    const mutations = this.#mutations;
    const retired = this.#retired;
    this.#mutations = [];
    this.#keyBytes = 0;
    this.#retired = [];
    if (mutations.length === 0) return;
    await this.#committer.commit({ mutations });
    for (const blob of retired) await this.#blobs.remove(this.#owner, blob);
  }
}
