/** Files of executions: uploads of FILE inputs and files that tasks write. One key for each file; the content is a blob. */
import type { TenantId } from "../../model/flows/flow.ts";
import type { Instant } from "../../base/time/clock.ts";
import { STORAGE_SCHEME } from "../../model/namespaces/storage_uri.ts";
import { blobRefOf } from "./blobs.ts";
import { decodeJson } from "../codec.ts";
import {
  collectUnfinishedFiles,
  FileBatch,
  type FileBatchDeps,
  type FileBatchPlace,
  type StoredFile,
  writeWithinQuota,
} from "./file_batch.ts";
import { blobsOf, executionFileKey, executionFilesOf } from "../keys.ts";
import type { Mutation } from "../store.ts";
import { deletionsOf, readEntries, setJson } from "../stored_entries.ts";

export type { StoredFile } from "./file_batch.ts";

/** A file that becomes durable with the entry that contains `mutations`. */
interface StagedFile {
  readonly size: number;
  readonly mutations: readonly Mutation[];
}

/** Writes, reads and removes the files of executions. */
export class ExecutionFiles {
  readonly #deps: FileBatchDeps;
  readonly #findOther: ExecutionFiles["find"];
  /** Files that are not durable yet: `tenant/execution/path`. */
  readonly #waiting = new Set<string>();

  /** `findOther` finds files that have no key, such as logs of attempts. */
  constructor(deps: FileBatchDeps, findOther: ExecutionFiles["find"] = () => Promise.resolve(undefined)) {
    this.#deps = deps;
    this.#findOther = findOther;
  }

  /** Size limit of one file. */
  get maxFileBytes(): number {
    return this.#deps.maxBytes;
  }

  /** Stores a file as it arrives. @throws DomainError too_large, quota_exceeded, storage_full, unavailable */
  async write(
    tenant: TenantId,
    id: string,
    path: string,
    source: AsyncIterable<Uint8Array>,
  ): Promise<StagedFile> {
    const { blob, hold } = await writeWithinQuota(this.#deps, { tenant, owner: id }, source);
    // The caller commits it; if it does not, the quota has counted too much until the next count.
    hold?.end(true);
    const record = setJson(executionFileKey(tenant, id, path), [blob.blobId, blob.size]);
    return { size: blob.size, mutations: [...blob.mutations, record] };
  }

  /** The files that one attempt writes; {@link isWaiting} is true for them until they are durable. */
  batch(place: FileBatchPlace): FileBatch {
    const { tenant, executionId } = place;
    const keyOf = (path: string) => waitingKey(tenant, executionId, path);
    return new FileBatch(this.#deps, place, {
      begun: (path) => this.#waiting.add(keyOf(path)),
      ended: (paths) => paths.forEach((path) => this.#waiting.delete(keyOf(path))),
    });
  }

  /** True when a file was written but is not durable yet. */
  isWaiting(tenant: TenantId, id: string, path: string): boolean {
    return this.#waiting.has(waitingKey(tenant, id, path));
  }

  /** Removes the files of attempts that started before `startedBefore` and never ended; returns the number of attempts. */
  collectUnfinished(startedBefore: Instant): Promise<number> {
    return collectUnfinishedFiles(this.#deps, startedBefore);
  }

  /** Sorted paths of the files of an execution. */
  list(tenant: TenantId, id: string): AsyncGenerator<string> {
    return readEntries(this.#deps.store, executionFilesOf(tenant, id), ({ key }) => String(key[3]));
  }

  /** A file, or `undefined`. */
  async find(tenant: TenantId, id: string, path: string): Promise<StoredFile | undefined> {
    const entry = await this.#deps.store.get(executionFileKey(tenant, id, path));
    if (!entry) return await this.#findOther(tenant, id, path);
    const blob = blobRefOf(decodeJson(entry.value));
    // A deletion of the execution removes its files once no reader is left.
    return { size: blob.size, open: (part) => this.#deps.blobs.read({ tenant, owner: id }, blob, part, id) };
  }

  /** The content of a file, or `undefined`. */
  async read(tenant: TenantId, id: string, path: string): Promise<ReadableStream<Uint8Array> | undefined> {
    return (await this.find(tenant, id, path))?.open();
  }

  /** Mutations that remove all files and large values of an execution. */
  removal(tenant: TenantId, id: string): Promise<Mutation[]> {
    return deletionsOf(this.#deps.store, executionFilesOf(tenant, id), blobsOf(tenant, id));
  }
}

/** The URI of a file of an execution: `kestra:///<namespace as path>/<flow>/executions/<id>/<path>`. */
export function executionFileUri(
  flow: { namespace: string; id: string },
  executionId: string,
  path: string,
): string {
  return `${STORAGE_SCHEME}/${
    flow.namespace.replaceAll(".", "/")
  }/${flow.id}/executions/${executionId}/${path}`;
}

function waitingKey(tenant: TenantId, id: string, path: string): string {
  return `${tenant}/${id}/${path}`;
}
