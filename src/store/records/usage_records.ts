/** Counts what a tenant stores, by listing its keys. */
import type { TenantId } from "../../model/flows/flow.ts";
import { blobRefOf } from "../blobs/blobs.ts";
import { decodeJson } from "../codec.ts";
import { executionFilesOfTenant, filesOfTenant, kvPairsOfTenant, secretsOfTenant } from "../keys.ts";
import type { Selector, Store } from "../store.ts";
import { bytesOf, decodeFile } from "./file_records.ts";

/** Keys that are read together; their values are small, except those of KV pairs. */
const KEYS_AT_ONCE = 128;

/** Reads the usage of tenants. */
export class UsageRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Number of KV pairs, also of expired ones that are not removed yet. */
  kvPairs(tenant: TenantId): Promise<number> {
    return this.#count(kvPairsOfTenant(tenant));
  }

  /** Number of secrets. */
  secrets(tenant: TenantId): Promise<number> {
    return this.#count(secretsOfTenant(tenant));
  }

  /** Bytes of namespace files with their revisions, and of files of executions. */
  async fileBytes(tenant: TenantId): Promise<number> {
    let bytes = 0;
    for await (const entry of this.#store.list(filesOfTenant(tenant))) {
      bytes += bytesOf(decodeFile(entry));
    }
    for await (const { value } of this.#store.list(executionFilesOfTenant(tenant))) {
      bytes += blobRefOf(decodeJson(value)).size;
    }
    return bytes;
  }

  async #count(selector: Selector): Promise<number> {
    let count = 0;
    for await (const _entry of this.#store.list(selector, { batchSize: KEYS_AT_ONCE })) count++;
    return count;
  }
}
