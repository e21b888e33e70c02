/** Files and directories of namespaces in the store, without content: a positional list by path; content is a blob. */
import type { Instant } from "../../base/clock.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { BlobRef } from "../blobs/blobs.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import { fileKey, filesBelow } from "../namespace_keys.ts";
import type { Mutation, Store, StoredEntry } from "../store.ts";

/** Whose files. */
export interface FileSpace {
  readonly tenant: TenantId;
  readonly namespace: string;
}

/** A file, or a directory when it has no content. Every directory above one has a record of its own. */
export interface FileRecord {
  /** Canonical, see `model/namespaces/file_path.ts`. */
  readonly path: string;
  readonly createdAt: Instant;
  readonly modifiedAt: Instant;
  /** Counts the writes of the content from 1; 0 for a directory. */
  readonly revision: number;
  readonly content?: BlobRef;
}

/** Reads records and gives the mutations that change them. */
export class FileRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The record of a path, or `undefined`. */
  async get({ tenant, namespace }: FileSpace, path: string): Promise<FileRecord | undefined> {
    const entry = await this.#store.get(fileKey(tenant, namespace, path));
    return entry === null ? undefined : decodeFile(entry);
  }

  /** The records of the paths, in their order. */
  async getMany(
    { tenant, namespace }: FileSpace,
    paths: readonly string[],
  ): Promise<(FileRecord | undefined)[]> {
    const entries = await this.#store.getMany(paths.map((path) => fileKey(tenant, namespace, path)));
    return entries.map((entry) => entry === null ? undefined : decodeFile(entry));
  }

  /** Everything below a directory (`""`: all) in path order or its reverse, in which a directory comes after what it holds. */
  async *listBelow(
    { tenant, namespace }: FileSpace,
    directory: string,
    options: { reverse?: boolean } = {},
  ): AsyncGenerator<FileRecord> {
    const selector = filesBelow(tenant, namespace, directory);
    for await (const entry of this.#store.list(selector, options)) yield decodeFile(entry);
  }

  /** What lies directly in a directory, in path order. Subdirectories are stepped over, not read. */
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
        // "0" is the character after "/": behind everything in that subdirectory.
        after = `${record.path.slice(0, slash)}0`;
        break;
      }
    } while (after !== undefined);
  }

  /** Writes a record. */
  put({ tenant, namespace }: FileSpace, record: FileRecord): Mutation {
    const { path, createdAt, modifiedAt, revision, content } = record;
    const list = [
      createdAt,
      modifiedAt - createdAt,
      revision,
      ...(content ? [content.blobId, content.size] : []),
    ];
    return { type: "set", key: fileKey(tenant, namespace, path), value: encodeJson(list) };
  }

  /** Removes a record. */
  delete({ tenant, namespace }: FileSpace, path: string): Mutation {
    return { type: "delete", key: fileKey(tenant, namespace, path) };
  }
}

function decodeFile({ key, value }: StoredEntry): FileRecord {
  const [createdAt, modified, revision, blobId, size] = decodeJson(value) as [
    number,
    number,
    number,
    string | undefined,
    number | undefined,
  ];
  return {
    path: String(key[3]),
    createdAt,
    modifiedAt: createdAt + modified,
    revision,
    ...(blobId !== undefined && { content: { blobId, size: size ?? 0 } }),
  };
}
