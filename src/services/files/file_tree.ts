/** What a change of a namespace's files means for the directories around them, and how many changes share one entry. */
import type { Instant } from "../../base/clock.ts";
import { DomainError } from "../../model/errors.ts";
import { parentPath, parentPaths } from "../../model/namespaces/file_path.ts";
import type { BlobOwner, BlobRef, Blobs } from "../../store/blobs/blobs.ts";
import type { Committer } from "../../store/committer.ts";
import type { FileRecord, FileRecords, FileSpace } from "../../store/records/file_records.ts";
import type { Key, Mutation } from "../../store/store.ts";

/** Changes of one entry: a little below what a group can take. */
const MAX_BATCH_MUTATIONS = 800;
const MAX_BATCH_KEY_BYTES = 60_000;

/** Records of the directories above the paths that do not exist yet. @throws DomainError invalid_argument: one of them is a file */
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

/** The directories above `path` that hold nothing else, the innermost first. */
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

/** A path names a file where a directory is needed. */
export function notADirectory(path: string): DomainError {
  return new DomainError(
    "invalid_argument",
    `Illegal argument: path ${JSON.stringify(path)} is a file, not a directory`,
  );
}

/** A path names a directory where a file is needed. */
export function notAFile(path: string): DomainError {
  return new DomainError(
    "invalid_argument",
    `Illegal argument: path ${JSON.stringify(path)} is a directory, not a file`,
  );
}

/** True when an entry with these keys would be larger than a batch may be. */
export function isBatchFull(count: number, keyBytes: number): boolean {
  return count > MAX_BATCH_MUTATIONS || keyBytes > MAX_BATCH_KEY_BYTES;
}

/** Upper bound of the bytes of a key. */
function keyBytesOf(key: Key): number {
  return key.reduce<number>((sum, part) => sum + (typeof part === "string" ? part.length * 3 + 2 : 10), 0);
}

/** Commits changes in order: all in one entry when they fit, else in as many as needed. */
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

  /** Adds changes that must not be torn apart, and the content that they let go of. */
  async add(changes: readonly Mutation[], retired?: BlobRef): Promise<void> {
    const mutations = [...changes, ...(retired ? this.#blobs.retire(this.#owner, retired) : [])];
    const keyBytes = mutations.reduce((sum, mutation) => sum + keyBytesOf(mutation.key), 0);
    if (isBatchFull(this.#mutations.length + mutations.length, this.#keyBytes + keyBytes)) await this.flush();
    this.#mutations.push(...mutations);
    this.#keyBytes += keyBytes;
    if (retired) this.#retired.push(retired);
  }

  /** Commits what has been added; resolves once it is durable. */
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
