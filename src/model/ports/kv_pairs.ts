/** KV pairs as tasks reach them. */
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../flows/flow.ts";
import type { KvPairId, KvValue } from "../namespaces/kv_pair.ts";

/** What a written pair has beside its value. */
interface KvPairWrite {
  readonly value: KvValue;
  /** ISO 8601 duration; for ever without it. */
  readonly ttl?: string;
  readonly description?: string;
  /** Whether a pair that is there may change. */
  readonly overwrite: boolean;
}

/** Which pairs are purged. */
export interface KvPurge {
  readonly namespaces: (namespace: string) => boolean;
  readonly keys: (key: string) => boolean;
  readonly expiredOnly: boolean;
}

/** Reads, writes and deletes KV pairs of a tenant. All throw DomainError invalid_argument for names that cannot be. */
export interface KvPairPort {
  /** The value; `isInherited` also looks in the namespaces above. `undefined` when there is none. */
  get(
    tenant: TenantId,
    id: KvPairId,
    options: { readonly isInherited: boolean },
  ): Promise<JsonValue | undefined>;
  /** Writes a pair. @throws DomainError conflict: it is there and may not change */
  set(tenant: TenantId, id: KvPairId, write: KvPairWrite): Promise<void>;
  /** False when there was none. */
  delete(tenant: TenantId, id: KvPairId): Promise<boolean>;
  /** Keys of a namespace in order. */
  keys(tenant: TenantId, namespace: string): Promise<string[]>;
  /** Deletes pairs; gives their number. */
  purge(tenant: TenantId, purge: KvPurge): Promise<number>;
}
