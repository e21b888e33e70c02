/** The keys of namespaces, KV pairs, namespace files and secrets: their shapes, order and writers. */
import type { Instant } from "../base/clock.ts";
import type { TenantId } from "../model/flows/flow.ts";
import type { Key, Selector } from "./store.ts";

/** Sorts after every namespace, because namespaces contain only lower-case letters, digits and `._-`. */
const AFTER_NAMESPACES = "~";

/** `[tenant, "ns", id]` → description of a namespace, or its deletion mark. Written by the namespaces service. */
export function namespaceKey(tenant: TenantId, id: string): Key {
  return [tenant, "ns", id];
}

/** All namespace records of a tenant, ordered by id. */
export function namespacesOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "ns"] };
}

/** `[tenant, "kv", namespace, key]` → a KV pair. Written by the KV pairs service. */
export function kvPairKey(tenant: TenantId, namespace: string, key: string): Key {
  return [tenant, "kv", namespace, key];
}

/** All KV pairs of a namespace, in key order. */
export function kvPairsOf(tenant: TenantId, namespace: string): Selector {
  return { prefix: [tenant, "kv", namespace] };
}

/** All KV pairs of a tenant, ordered by namespace and key. */
export function kvPairsOfTenant(tenant: TenantId): Selector {
  return { start: kvPairKey(tenant, "", ""), end: kvPairKey(tenant, AFTER_NAMESPACES, "") };
}

/** `[tenant, "kx", expiresAt, namespace, key]` → null; pairs by expiry time. Written with the pair. */
export function kvExpiryKey(tenant: TenantId, expiresAt: Instant, namespace: string, key: string): Key {
  return [tenant, "kx", expiresAt, namespace, key];
}

/** Pairs of a tenant that expire before `beforeMs`, earliest first. */
export function kvExpiriesBefore(tenant: TenantId, beforeMs: Instant): Selector {
  return { start: [tenant, "kx"], end: [tenant, "kx", beforeMs] };
}

/** `[tenant, "nf", namespace, path]` → a namespace file or directory, its path without leading slash. Written by the files service. */
export function fileKey(tenant: TenantId, namespace: string, path: string): Key {
  return [tenant, "nf", namespace, path];
}

/** Files and directories below a directory, in path order, from `after` (a path) on; `""` is the root. */
export function filesBelow(tenant: TenantId, namespace: string, directory: string, after?: string): Selector {
  // "0" is the character after "/", so the range ends after the last path below the directory.
  const start = directory === "" ? "" : `${directory}/`;
  const end = directory === "" ? "\u{10ffff}" : `${directory}0`;
  return { start: fileKey(tenant, namespace, after ?? start), end: fileKey(tenant, namespace, end) };
}

/** `[tenant, "s", namespace, name]` → an encrypted secret. Written by the secrets service. */
export function secretKey(tenant: TenantId, namespace: string, name: string): Key {
  return [tenant, "s", namespace, name];
}

/** All secrets of a namespace. */
export function secretsOf(tenant: TenantId, namespace: string): Selector {
  return { prefix: [tenant, "s", namespace] };
}

/** All secrets of a tenant, ordered by namespace and name. */
export function secretsOfTenant(tenant: TenantId): Selector {
  return { start: secretKey(tenant, "", ""), end: secretKey(tenant, AFTER_NAMESPACES, "") };
}
