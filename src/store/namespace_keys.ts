/** Further keys and selectors of what namespaces own, beside those of `keys.ts`, whose key functions they are made of. */
import type { Instant } from "../base/clock.ts";
import type { TenantId } from "../model/flow.ts";
import { fileKey, kvPairKey, secretKey } from "./keys.ts";
import type { Key, Selector } from "./store.ts";

/** Orders after every namespace and file name that is ASCII: namespaces are lower-case letters, digits and `._-`. */
const AFTER_NAMESPACES = "~";

/** `[tenant, "kx", expiresAt, namespace, key]` → nothing; pairs by the time they expire. Written with the pair. */
export function kvExpiryKey(tenant: TenantId, expiresAt: Instant, namespace: string, key: string): Key {
  return [tenant, "kx", expiresAt, namespace, key];
}

/** Pairs of a tenant that expire before `beforeMs`, the earliest first. */
export function kvExpiriesBefore(tenant: TenantId, beforeMs: Instant): Selector {
  return { start: [tenant, "kx"], end: [tenant, "kx", beforeMs] };
}

/** All KV pairs of a tenant, by namespace and key. */
export function kvPairsOfTenant(tenant: TenantId): Selector {
  return { start: kvPairKey(tenant, "", ""), end: kvPairKey(tenant, AFTER_NAMESPACES, "") };
}

/** All secrets of a tenant, by namespace and name. */
export function secretsOfTenant(tenant: TenantId): Selector {
  return { start: secretKey(tenant, "", ""), end: secretKey(tenant, AFTER_NAMESPACES, "") };
}

/** Files and directories below a directory, in path order, from `after` (a path) on; `""` is the root. */
export function filesBelow(tenant: TenantId, namespace: string, directory: string, after?: string): Selector {
  // "0" is the character after "/": the range ends behind the last path that goes through the directory.
  const start = directory === "" ? "" : `${directory}/`;
  const end = directory === "" ? "\u{10ffff}" : `${directory}0`;
  return { start: fileKey(tenant, namespace, after ?? start), end: fileKey(tenant, namespace, end) };
}
