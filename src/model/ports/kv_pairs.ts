/** Access of tasks to KV pairs. */
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../flows/flow.ts";
import type { KvPairId, KvValue } from "../namespaces/kv_pair.ts";

/** The content of a write. */
interface KvPairWrite {
  readonly value: KvValue;
  /** ISO 8601 duration; without it the pair never expires. */
  readonly ttl?: string;
  readonly description?: string;
  /** Whether an existing pair may be replaced. */
  readonly overwrite: boolean;
}

/** Selects the pairs to purge. */
export interface KvPurge {
  readonly namespaces: (namespace: string) => boolean;
  readonly keys: (key: string) => boolean;
  readonly expiredOnly: boolean;
}

/** Limited to the given tenant. Writes are durable when they return. @throws DomainError invalid_argument: invalid namespace or key */
export interface KvPairPort {
  /**
   * Checks the access of a flow of the namespace `from`. @throws DomainError not_found: the namespace does not exist, and is
   * neither `from` nor above it
   */
  checkAccess(tenant: TenantId, namespace: string, from: string): Promise<void>;
  /** The value; `undefined` if it does not exist. `isInherited` also searches the parent namespaces. */
  get(
    tenant: TenantId,
    id: KvPairId,
    options: { readonly isInherited: boolean },
  ): Promise<JsonValue | undefined>;
  /** Writes a pair. @throws DomainError conflict: it exists and `overwrite` is false */
  set(tenant: TenantId, id: KvPairId, write: KvPairWrite): Promise<void>;
  /**
   * Replaces the value by what `change` makes of it, in one step; a missing pair is created. Description and expiry stay. An
   * error of `change` is thrown, and nothing is written.
   */
  update(tenant: TenantId, id: KvPairId, change: (value: JsonValue | undefined) => KvValue): Promise<void>;
  /** Returns false if there was none. */
  delete(tenant: TenantId, id: KvPairId): Promise<boolean>;
  /** Sorted keys of a namespace. */
  keys(tenant: TenantId, namespace: string): Promise<string[]>;
  /** Deletes matching pairs; returns their number. */
  purge(tenant: TenantId, purge: KvPurge): Promise<number>;
}
