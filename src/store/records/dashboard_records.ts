/** Dashboards in the store: their sources, as they were written. */
import type { Instant } from "../../base/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { dashboardKey, dashboardsOf } from "../keys.ts";
import type { Store, StoredEntry } from "../store.ts";

/** A dashboard as stored. */
export interface DashboardRecord {
  readonly id: string;
  /** At most as long as one value of the database takes. */
  readonly source: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Reads and writes dashboards. */
export class DashboardRecords {
  readonly #store: Store;
  readonly #committer: Committer;

  constructor(store: Store, committer: Committer) {
    this.#store = store;
    this.#committer = committer;
  }

  /** The dashboard, or `undefined`. */
  async get(tenant: TenantId, id: string): Promise<DashboardRecord | undefined> {
    const entry = await this.#store.get(dashboardKey(tenant, id));
    return entry === null ? undefined : decodeRecord(entry);
  }

  /** Writes the dashboard; resolves once durable. */
  async put(tenant: TenantId, { id, source, createdAt, updatedAt }: DashboardRecord): Promise<void> {
    const value = encodeJson([source, createdAt, updatedAt]);
    await this.#committer.commit({ mutations: [{ type: "set", key: dashboardKey(tenant, id), value }] });
  }

  /** Removes the dashboard; resolves once durable. */
  async delete(tenant: TenantId, id: string): Promise<void> {
    await this.#committer.commit({ mutations: [{ type: "delete", key: dashboardKey(tenant, id) }] });
  }

  /** All dashboards of a tenant, in order of their ids. */
  async list(tenant: TenantId): Promise<DashboardRecord[]> {
    return (await Array.fromAsync(this.#store.list(dashboardsOf(tenant)))).map(decodeRecord);
  }
}

function decodeRecord({ key, value }: StoredEntry): DashboardRecord {
  const [source, createdAt, updatedAt] = decodeJson(value) as JsonValue[];
  return {
    id: String(key[2]),
    source: String(source),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
  };
}
