/** Files of executions: uploads of FILE inputs, later what tasks write. A key each, the content as a blob of the execution. */
import type { TenantId } from "../model/flow.ts";
import type { BlobRef, Blobs } from "./blobs.ts";
import { decodeJson, encodeJson } from "./codec.ts";
import { blobsOf, executionFileKey, executionFilesOf } from "./keys.ts";
import type { Mutation, Store } from "./store.ts";

/** Scheme of the addresses that stand for stored files in inputs and outputs. */
export const FILE_SCHEME = "kestra://";

/** A file that becomes durable with the entry that carries `mutations`. */
export interface StagedFile {
  readonly size: number;
  readonly mutations: readonly Mutation[];
}

/** A file as it is stored. */
export interface StoredFile {
  /** Bytes. */
  readonly size: number;
  /** Its content, which must be read to the end or cancelled. */
  open(): ReadableStream<Uint8Array>;
}

/** Writes, reads and removes the files of executions. */
export class ExecutionFiles {
  readonly #store: Store;
  readonly #blobs: Blobs;
  readonly #maxBytes: number;

  /** `maxBytes` bounds one file. */
  constructor(store: Store, blobs: Blobs, maxBytes: number) {
    this.#store = store;
    this.#blobs = blobs;
    this.#maxBytes = maxBytes;
  }

  /** Stores a file as it arrives. @throws DomainError too_large, storage_full, unavailable */
  async write(
    tenant: TenantId,
    id: string,
    path: string,
    source: AsyncIterable<Uint8Array>,
  ): Promise<StagedFile> {
    const blob = await this.#blobs.write({ tenant, owner: id }, source, this.#maxBytes);
    const value = encodeJson([blob.blobId, blob.size]);
    const record: Mutation = { type: "set", key: executionFileKey(tenant, id, path), value };
    return { size: blob.size, mutations: [...blob.mutations, record] };
  }

  /** A file, or `undefined`. */
  async find(tenant: TenantId, id: string, path: string): Promise<StoredFile | undefined> {
    const entry = await this.#store.get(executionFileKey(tenant, id, path));
    if (!entry) return undefined;
    const [blobId, size] = decodeJson(entry.value) as [string, number];
    const blob: BlobRef = { blobId, size };
    return { size, open: () => this.#blobs.read({ tenant, owner: id }, blob) };
  }

  /** The content of a file, or `undefined`. */
  async read(tenant: TenantId, id: string, path: string): Promise<ReadableStream<Uint8Array> | undefined> {
    return (await this.find(tenant, id, path))?.open();
  }

  /** Mutations that remove all files and large values of an execution. */
  async removal(tenant: TenantId, id: string): Promise<Mutation[]> {
    const mutations: Mutation[] = [];
    for (const selector of [executionFilesOf(tenant, id), blobsOf(tenant, id)]) {
      for await (const entry of this.#store.list(selector)) {
        mutations.push({ type: "delete", key: entry.key });
      }
    }
    return mutations;
  }
}

/** The address of a file of an execution: `kestra:///<namespace as path>/<flow>/executions/<id>/<path>`. */
export function executionFileUri(
  flow: { namespace: string; id: string },
  executionId: string,
  path: string,
): string {
  return `${FILE_SCHEME}/${flow.namespace.replaceAll(".", "/")}/${flow.id}/executions/${executionId}/${path}`;
}
