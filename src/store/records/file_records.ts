/** Stored files and directories of namespaces: a positional list by path. The content is a blob. */
import type { Instant } from "../../base/time/clock.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { BlobRef } from "../blobs/blobs.ts";
import { decodeJson } from "../codec.ts";
import { fileKey, filesAfter, filesBelow } from "../keys.ts";
import type { Mutation, Store, StoredEntry } from "../store.ts";
import { deleteKey, readEntries, readEntry, setJson } from "../stored_entries.ts";

/** The namespace that owns the files. */
export interface FileSpace {
  readonly tenant: TenantId;
  readonly namespace: string;
}

/** A content of a file. */
export interface FileContent extends BlobRef {
  /** SHA-256; absent in records of earlier versions. */
  readonly digest?: string;
}

/** A content that a file had, or has. Several revisions of a file may refer to the same value. */
export interface FileRevision {
  /** Counts the changes of the content from 1. */
  readonly revision: number;
  readonly modifiedAt: Instant;
  readonly content: FileContent;
  /** The user, or `execution:{id}` if a task saved it; absent: unknown. */
  readonly author?: string;
}

/** A file, or a directory when `content` is absent. Each parent directory has its own record. */
export interface FileRecord {
  /** Canonical, see `model/namespaces/file_path.ts`. */
  readonly path: string;
  readonly createdAt: Instant;
  readonly modifiedAt: Instant;
  /** Counts the changes of the content from 1; 0 for a directory. */
  readonly revision: number;
  readonly content?: FileContent;
  /** Of the content, see {@link FileRevision}. */
  readonly author?: string;
  /** Revisions before the present one, oldest first; absent: none is kept. */
  readonly earlier?: readonly FileRevision[];
}

/** All revisions of a file, oldest first; the last is the present one. Empty for a directory. */
export function revisionsOf(
  { revision, modifiedAt, content, author, earlier = [] }: FileRecord,
): FileRevision[] {
  return content ? [...earlier, { revision, modifiedAt, content, author }] : [];
}

/** Bytes of all revisions. Those that share a content count each, so that a limit depends on the revisions alone. */
export function bytesOf(record: FileRecord): number {
  return revisionsOf(record).reduce((sum, { content }) => sum + content.size, 0);
}

/** Reads records and builds the mutations that change them. */
export class FileRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The record of a path, or `undefined`. */
  get({ tenant, namespace }: FileSpace, path: string): Promise<FileRecord | undefined> {
    return readEntry(this.#store, fileKey(tenant, namespace, path), decodeFile);
  }

  /** The records of the paths, in their order. */
  async getMany(
    { tenant, namespace }: FileSpace,
    paths: readonly string[],
  ): Promise<(FileRecord | undefined)[]> {
    const entries = await this.#store.getMany(paths.map((path) => fileKey(tenant, namespace, path)));
    return entries.map((entry) => entry === null ? undefined : decodeFile(entry));
  }

  /** Everything below a directory (`""`: all) in path order. In reverse order a directory comes after its content. */
  listBelow(
    { tenant, namespace }: FileSpace,
    directory: string,
    options: { reverse?: boolean } = {},
  ): AsyncGenerator<FileRecord> {
    return readEntries(this.#store, filesBelow(tenant, namespace, directory), decodeFile, options);
  }

  /** The direct children of a directory, in path order. Skips the content of subdirectories without reading it. */
  async *listChildren(space: FileSpace, directory: string): AsyncGenerator<FileRecord> {
    const start = directory === "" ? 0 : directory.length + 1;
    let after: string | undefined;
    do {
      const selector = filesBelow(space.tenant, space.namespace, directory, after);
      after = undefined;
      for await (const entry of this.#store.list(selector)) {
        const record = decodeFile(entry);
        const slash = record.path.indexOf("/", start);
        if (slash < 0) {
          yield record;
          continue;
        }
        // "0" is the character after "/", so this path sorts after the content of that subdirectory.
        after = `${record.path.slice(0, slash)}0`;
        break;
      }
    } while (after !== undefined);
  }

  /** The namespaces that have files or directories, sorted. Skips the files of each without reading them. */
  async *namespaces(tenant: TenantId): AsyncGenerator<string> {
    let namespace: string | undefined;
    for (;;) {
      const [first] = await Array.fromAsync(this.#store.list(filesAfter(tenant, namespace), { limit: 1 }));
      if (!first) return;
      namespace = String(first.key[2]);
      yield namespace;
    }
  }

  /** Writes a record. */
  put({ tenant, namespace }: FileSpace, record: FileRecord): Mutation {
    const { path, createdAt, modifiedAt, revision, content, author, earlier = [] } = record;
    const packed: PackedFile = [createdAt, modifiedAt - createdAt, revision];
    if (content) packed.push(content.blobId, content.size, content.digest ?? "");
    if (earlier.length > 0 || author !== undefined) {
      packed.push(earlier.map((each) => packRevision(each, createdAt)));
    }
    if (author !== undefined) packed.push(author);
    return setJson(fileKey(tenant, namespace, path), packed);
  }

  /** Removes a record. */
  delete({ tenant, namespace }: FileSpace, path: string): Mutation {
    return deleteKey(fileKey(tenant, namespace, path));
  }
}

/** Earlier versions wrote no authors. */
type PackedRevision = [
  revision: number,
  modifiedMs: number,
  blobId: string,
  size: number,
  digest: string,
  author?: string,
];
/** Earlier versions wrote no authors, the first one neither digests nor earlier revisions. */
type PackedFile = [
  createdAt: Instant,
  modifiedMs: number,
  revision: number,
  blobId?: string,
  size?: number,
  digest?: string,
  earlier?: readonly PackedRevision[],
  author?: string,
];

function packRevision(
  { revision, modifiedAt, content, author }: FileRevision,
  createdAt: Instant,
): PackedRevision {
  const packed: PackedRevision = [
    revision,
    modifiedAt - createdAt,
    content.blobId,
    content.size,
    content.digest ?? "",
  ];
  if (author !== undefined) packed.push(author);
  return packed;
}

/** A stored namespace file or directory. */
export function decodeFile({ key, value }: StoredEntry): FileRecord {
  const [createdAt, modifiedMs, revision, blobId, size = 0, digest, earlier, author] = decodeJson(
    value,
  ) as PackedFile;
  return {
    path: String(key[3]),
    createdAt,
    modifiedAt: createdAt + modifiedMs,
    revision,
    ...(blobId !== undefined && { content: contentOf(blobId, size, digest) }),
    ...(author !== undefined && { author }),
    ...(earlier && { earlier: earlier.map((packed) => unpackRevision(packed, createdAt)) }),
  };
}

function unpackRevision(packed: PackedRevision, createdAt: Instant): FileRevision {
  const [revision, modifiedMs, blobId, size, digest, author] = packed;
  const content = contentOf(blobId, size, digest);
  return { revision, modifiedAt: createdAt + modifiedMs, content, ...(author !== undefined && { author }) };
}

function contentOf(blobId: string, size: number, digest = ""): FileContent {
  return { blobId, size, ...(digest !== "" && { digest }) };
}
