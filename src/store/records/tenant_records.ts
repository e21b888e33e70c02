/** Tenants in the store: `[tenant, id]` → a positional list; and the search for everything that a tenant owns. */
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { Tenant } from "../../model/access/tenant.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import { keysOfTenant, tenantKey, TENANTS } from "../keys.ts";
import type { Key, Mutation, Store } from "../store.ts";

/** A tenant, and whether its data is being removed. */
interface StoredTenant {
  readonly tenant: Tenant;
  /** Set first, so that a removal interrupted by a crash is taken up again. */
  readonly isRemoved: boolean;
}

/** Writes a tenant. */
export function setTenant({ tenant, isRemoved }: StoredTenant): Mutation {
  return { type: "set", key: tenantKey(tenant.id), value: encodeJson([tenant.name, isRemoved]) };
}

/** Removes a tenant, not its data. */
export function deleteTenant(id: TenantId): Mutation {
  return { type: "delete", key: tenantKey(id) };
}

/** All tenants that were created, in order of their ids. */
export async function readTenants(store: Store): Promise<StoredTenant[]> {
  const tenants: StoredTenant[] = [];
  for await (const { key, value } of store.list(TENANTS)) {
    const [name, isRemoved] = decodeJson(value) as JsonValue[];
    tenants.push({ tenant: { id: String(key[1]), name: String(name) }, isRemoved: isRemoved === true });
  }
  return tenants;
}

/** At most `limit` keys that the tenant owns; empty once nothing is left. */
export async function readKeysOf(store: Store, id: TenantId, limit: number): Promise<Key[]> {
  const keys: Key[] = [];
  for (const selector of keysOfTenant(id)) {
    if (keys.length === limit) break;
    for await (const { key } of store.list(selector, { limit: limit - keys.length })) keys.push(key);
  }
  return keys;
}
