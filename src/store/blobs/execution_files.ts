/** Files of executions: uploads of FILE inputs, and what tasks write. A key each, the content as a blob of the execution. */
import type { TenantId } from "../../model/flows/flow.ts";
import type { Instant } from "../../base/clock.ts";
import type { BlobRef } from "./blobs.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import {
  collectUnfinishedFiles,
  FileBatch,
  type FileBatchDeps,
  type FileBatchPlace,
  type StoredFile,
} from "./file_batch.ts";
import { blobsOf, executionFileKey, executionFilesOf } from "../keys.ts";
import type { Mutation } from "../store.ts";

export type { StoredFile } from "./file_batch.ts";

/** Scheme of the addresses that stand for stored files in inputs and outputs. */
const FILE_SCHEME = "kestra://";

/** A file that becomes durable with the entry that carries `mutations`. */
interface StagedFile {
  readonly size: number;
  readonly mutations: readonly Mutation[];
}

/** Writes, reads and removes the files of executions. */
export class ExecutionFiles {
  readonly #deps: FileBatchDeps;
  readonly #findOther: ExecutionFiles["find"];
  /** Files that wait for the commit of their attempt: `tenant/execution/path`. */
  readonly #waiting = new Set<string>();

  /** `findOther` gives files that have no key of their own. */
  constructor(deps: FileBatchDeps, findOther: ExecutionFiles["find"] = () => Promise.resolve(undefined)) {
    this.#deps = deps;
    this.#findOther = findOther;
  }

  /** Stores a file as it arrives. @throws DomainError too_large, storage_full, unavailable */
  async write(
    tenant: TenantId,
    id: string,
    path: string,
    source: AsyncIterable<Uint8Array>,
  ): Promise<StagedFile> {
    const blob = await this.#deps.blobs.write({ tenant, owner: id }, source, this.#deps.maxBytes);
    const value = encodeJson([blob.blobId, blob.size]);
    const record: Mutation = { type: "set", key: executionFileKey(tenant, id, path), value };
    return { size: blob.size, mutations: [...blob.mutations, record] };
  }

  /** The files that one attempt will write; {@link isWaiting} tells of them until they are durable. */
  batch(place: FileBatchPlace): FileBatch {
    const { tenant, executionId } = place;
    const keyOf = (path: string) => waitingKey(tenant, executionId, path);
    return new FileBatch(this.#deps, place, {
      begun: (path) => this.#waiting.add(keyOf(path)),
      ended: (paths) => paths.forEach((path) => this.#waiting.delete(keyOf(path))),
    });
  }

  /** True while a file was written and is not durable yet. */
  isWaiting(tenant: TenantId, id: string, path: string): boolean {
    return this.#waiting.has(waitingKey(tenant, id, path));
  }

  /** Removes what attempts that were begun before have stored without coming to their end; gives their number. For boot. */
  collectUnfinished(startedBefore: Instant): Promise<number> {
    return collectUnfinishedFiles(this.#deps, startedBefore);
  }

  /** Paths of the files of an execution, in order. */
  async *list(tenant: TenantId, id: string): AsyncGenerator<string> {
    for await (const { key } of this.#deps.store.list(executionFilesOf(tenant, id))) yield String(key[3]);
  }

  /** A file, or `undefined`. */
  async find(tenant: TenantId, id: string, path: string): Promise<StoredFile | undefined> {
    const entry = await this.#deps.store.get(executionFileKey(tenant, id, path));
    if (!entry) return await this.#findOther(tenant, id, path);
    const [blobId, size] = decodeJson(entry.value) as [string, number];
    const blob: BlobRef = { blobId, size };
    return { size, open: () => this.#deps.blobs.read({ tenant, owner: id }, blob) };
  }

  /** The content of a file, or `undefined`. */
  async read(tenant: TenantId, id: string, path: string): Promise<ReadableStream<Uint8Array> | undefined> {
    return (await this.find(tenant, id, path))?.open();
  }

  /** Mutations that remove all files and large values of an execution. */
  async removal(tenant: TenantId, id: string): Promise<Mutation[]> {
    const mutations: Mutation[] = [];
    for (const selector of [executionFilesOf(tenant, id), blobsOf(tenant, id)]) {
      for await (const entry of this.#deps.store.list(selector)) {
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

function waitingKey(tenant: TenantId, id: string, path: string): string {
  return `${tenant}/${id}/${path}`;
}
