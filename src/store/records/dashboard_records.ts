/** Stored dashboards: the source text as it was saved, and two times. */
import type { Instant } from "../../base/time/clock.ts";
import { type JsonValue, stringifyJson } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { MAX_VALUE_BYTES } from "../../model/limits.ts";
import { decodeJson, encodeCompressed, encodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { dashboardKey, dashboardsOf } from "../keys.ts";
import type { Store, StoredEntry } from "../store.ts";
import { deleteKey, readEntries, readEntry } from "../stored_entries.ts";

/** A dashboard as stored. */
export interface DashboardRecord {
  readonly id: string;
  /** Fits one stored value, if need be compressed. */
  readonly source: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Dashboards, up to 60 KB each, that are read together for a list. */
const DASHBOARDS_AT_ONCE = 16;

/** Reads and writes dashboards. */
export class DashboardRecords {
  readonly #store: Store;
  readonly #committer: Committer;

  constructor(store: Store, committer: Committer) {
    this.#store = store;
    this.#committer = committer;
  }

  /** The dashboard, or `undefined`. */
  get(tenant: TenantId, id: string): Promise<DashboardRecord | undefined> {
    return readEntry(this.#store, dashboardKey(tenant, id), decodeDashboard);
  }

  /** Writes the dashboard; resolves once durable. */
  async put(tenant: TenantId, { id, source, createdAt, updatedAt }: DashboardRecord): Promise<void> {
    const packed = [source, createdAt, updatedAt];
    const plain = encodeJson(packed);
    // A quote or a line break takes two bytes.
    const value = plain.length > MAX_VALUE_BYTES ? encodeCompressed(stringifyJson(packed)) : plain;
    await this.#committer.commit({ mutations: [{ type: "set", key: dashboardKey(tenant, id), value }] });
  }

  /** Removes the dashboard; resolves once durable. */
  async delete(tenant: TenantId, id: string): Promise<void> {
    await this.#committer.commit({ mutations: [deleteKey(dashboardKey(tenant, id))] });
  }

  /** All dashboards of a tenant, ordered by id, each read on demand. */
  list(tenant: TenantId): AsyncGenerator<DashboardRecord> {
    return readEntries(this.#store, dashboardsOf(tenant), decodeDashboard, { batchSize: DASHBOARDS_AT_ONCE });
  }
}

/** A stored dashboard. */
export function decodeDashboard({ key, value }: StoredEntry): DashboardRecord {
  const [source, createdAt, updatedAt] = decodeJson(value) as JsonValue[];
  return {
    id: String(key[2]),
    source: String(source),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
  };
}
