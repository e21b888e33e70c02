/** What was told of namespaces; most of them need no record. */
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { namespaceKey, namespacesOf } from "../namespace_keys.ts";
import type { Store, StoredEntry } from "../store.ts";

/** A namespace that was created or deleted in so many words. */
export interface NamespaceRecord {
  readonly id: string;
  readonly description?: string;
  readonly isDeleted: boolean;
}

/** Reads and writes them. */
export class NamespaceRecords {
  readonly #store: Store;
  readonly #committer: Committer;

  constructor(store: Store, committer: Committer) {
    this.#store = store;
    this.#committer = committer;
  }

  /** The record, or `undefined`. */
  async get(tenant: TenantId, id: string): Promise<NamespaceRecord | undefined> {
    const entry = await this.#store.get(namespaceKey(tenant, id));
    return entry === null ? undefined : decodeRecord(entry);
  }

  /** Writes the record; resolves once durable. */
  async put(tenant: TenantId, { id, description, isDeleted }: NamespaceRecord): Promise<void> {
    const value = encodeJson([description ?? null, isDeleted]);
    await this.#committer.commit({ mutations: [{ type: "set", key: namespaceKey(tenant, id), value }] });
  }

  /** All records of a tenant, in order. */
  async list(tenant: TenantId): Promise<NamespaceRecord[]> {
    return (await Array.fromAsync(this.#store.list(namespacesOf(tenant)))).map(decodeRecord);
  }
}

function decodeRecord({ key, value }: StoredEntry): NamespaceRecord {
  const [description, isDeleted] = decodeJson(value) as JsonValue[];
  return {
    id: String(key[2]),
    description: typeof description === "string" ? description : undefined,
    isDeleted: isDeleted === true,
  };
}
