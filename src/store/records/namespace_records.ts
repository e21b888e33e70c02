/** Stored namespaces. A namespace that only contains flows, files or KV pairs has no record. */
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { decodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { namespaceKey, namespacesOf } from "../keys.ts";
import type { Store, StoredEntry } from "../store.ts";
import { readEntries, readEntry, setJson } from "../stored_entries.ts";

/** A namespace that a request created or deleted explicitly. */
export interface NamespaceRecord {
  readonly id: string;
  readonly description?: string;
  readonly isDeleted: boolean;
}

/** Reads and writes namespace records. */
export class NamespaceRecords {
  readonly #store: Store;
  readonly #committer: Committer;

  constructor(store: Store, committer: Committer) {
    this.#store = store;
    this.#committer = committer;
  }

  /** The record, or `undefined`. */
  get(tenant: TenantId, id: string): Promise<NamespaceRecord | undefined> {
    return readEntry(this.#store, namespaceKey(tenant, id), decodeNamespace);
  }

  /** Writes the record; resolves once durable. */
  async put(tenant: TenantId, { id, description, isDeleted }: NamespaceRecord): Promise<void> {
    const mutation = setJson(namespaceKey(tenant, id), [description ?? null, isDeleted]);
    await this.#committer.commit({ mutations: [mutation] });
  }

  /** All records of a tenant, ordered by id. */
  list(tenant: TenantId): Promise<NamespaceRecord[]> {
    return Array.fromAsync(readEntries(this.#store, namespacesOf(tenant), decodeNamespace));
  }
}

/** A stored namespace. */
export function decodeNamespace({ key, value }: StoredEntry): NamespaceRecord {
  const [description, isDeleted] = decodeJson(value) as JsonValue[];
  return {
    id: String(key[2]),
    description: typeof description === "string" ? description : undefined,
    isDeleted: isDeleted === true,
  };
}
