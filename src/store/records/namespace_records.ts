/** Stored namespaces. A namespace that only contains flows, files or KV pairs has no record. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { type PluginDefault, readPluginDefaults } from "../../model/flows/inherited_defaults.ts";
import { decodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { namespaceKey, namespacesOf } from "../keys.ts";
import type { Mutation, Store, StoredEntry } from "../store.ts";
import { readEntries, readEntry, setJson } from "../stored_entries.ts";

/** A namespace that a request created or deleted explicitly. */
export interface NamespaceRecord {
  readonly id: string;
  readonly description?: string;
  /** Inherited by its flows and those of the namespaces below it; likewise its plugin defaults. */
  readonly variables?: JsonObject;
  readonly pluginDefaults?: readonly PluginDefault[];
  readonly isDeleted: boolean;
  /** Its name since it was renamed. */
  readonly renamedTo?: string;
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

  /** Writes the record; calls `committed` and resolves once durable. */
  async put(tenant: TenantId, record: NamespaceRecord, committed: () => void): Promise<void> {
    await this.#committer.commit({ mutations: [namespaceMutation(tenant, record)], committed });
  }

  /** All records of a tenant, ordered by id. */
  list(tenant: TenantId): Promise<NamespaceRecord[]> {
    return Array.fromAsync(readEntries(this.#store, namespacesOf(tenant), decodeNamespace));
  }
}

/** Writes a record. */
export function namespaceMutation(tenant: TenantId, record: NamespaceRecord): Mutation {
  const { id, description, variables, pluginDefaults, isDeleted, renamedTo } = record;
  const packed: JsonValue[] = [description ?? null, isDeleted];
  if (variables || pluginDefaults || renamedTo) {
    packed.push(variables ?? null, pluginDefaults ? [...pluginDefaults] : null);
  }
  if (renamedTo) packed.push(renamedTo);
  return setJson(namespaceKey(tenant, id), packed);
}

/** A stored namespace. */
export function decodeNamespace({ key, value }: StoredEntry): NamespaceRecord {
  const [description, isDeleted, variables, listed, renamedTo] = decodeJson(value) as JsonValue[];
  const read = listed ? readPluginDefaults(listed) : undefined;
  return {
    id: String(key[2]),
    description: typeof description === "string" ? description : undefined,
    variables: isJsonObject(variables) ? variables : undefined,
    pluginDefaults: read && "defaults" in read ? read.defaults : undefined,
    isDeleted: isDeleted === true,
    ...(typeof renamedTo === "string" && { renamedTo }),
  };
}
