/** Stored tenants, `[name, isRemoved]`, and the search for all keys of a tenant. */
import type { JsonValue } from "../../../base/json.ts";
import type { TenantId } from "../../../model/flows/flow.ts";
import type { Tenant } from "../../../model/access/tenant.ts";
import { decodeJson } from "../../codec.ts";
import { keysOfTenant, tenantKey, TENANTS } from "../../keys.ts";
import type { Key, Mutation, Store, StoredEntry } from "../../store.ts";
import { deleteKey, readEntries, setJson } from "../../stored_entries.ts";

/** A tenant and its removal mark. */
interface StoredTenant {
  readonly tenant: Tenant;
  /** Set before the data is removed, so that the next start continues an interrupted removal. */
  readonly isRemoved: boolean;
}

/** Writes a tenant. */
export function setTenant({ tenant, isRemoved }: StoredTenant): Mutation {
  return setJson(tenantKey(tenant.id), [tenant.name, isRemoved]);
}

/** Removes the record of a tenant, not its data. */
export function deleteTenant(id: TenantId): Mutation {
  return deleteKey(tenantKey(id));
}

/** All created tenants, ordered by id. */
export function readTenants(store: Store): Promise<StoredTenant[]> {
  return Array.fromAsync(readEntries(store, TENANTS, decodeTenant));
}

/** A stored tenant. */
export function decodeTenant({ key, value }: StoredEntry): StoredTenant {
  const [name, isRemoved] = decodeJson(value) as JsonValue[];
  return { tenant: { id: String(key[1]), name: String(name) }, isRemoved: isRemoved === true };
}

/** At most `limit` keys of the tenant; empty when none is left. */
export async function readKeysOf(store: Store, id: TenantId, limit: number): Promise<Key[]> {
  const keys: Key[] = [];
  for (const selector of keysOfTenant(id)) {
    if (keys.length === limit) break;
    for await (const { key } of store.list(selector, { limit: limit - keys.length })) keys.push(key);
  }
  return keys;
}
