/** The newest uses of secrets, in memory: a use must not cost a write. */
import type { Clock } from "../../base/time/clock.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { SecretId, SecretInfo, SecretUse } from "../../store/records/secret_records.ts";

/** The newest use of a secret. */
export interface NotedUse {
  readonly tenant: TenantId;
  readonly id: SecretId;
  readonly use: SecretUse;
}

/** Secrets whose uses are kept; uses of others are dropped until some of these are written. */
const MAX_NOTED = 10_000;

/** Keeps the newest use of each secret until it is written. */
export class SecretUses {
  readonly #clock: Clock;
  readonly #noted = new Map<string, NotedUse>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers that a flow uses the secret now. */
  note(tenant: TenantId, id: SecretId, by: string): void {
    const key = keyOf(tenant, id);
    if (this.#noted.size >= MAX_NOTED && !this.#noted.has(key)) return;
    this.#noted.set(key, { tenant, id, use: { at: this.#clock.now(), by } });
  }

  /** The metadata with the newest use: the one in memory, else the stored one. */
  addTo(tenant: TenantId, info: SecretInfo): SecretInfo {
    const noted = this.#noted.get(keyOf(tenant, info));
    return noted ? { ...info, lastUse: noted.use } : info;
  }

  /** All that is in memory. */
  noted(): NotedUse[] {
    return [...this.#noted.values()];
  }

  /** Drops a use that was written, unless a newer one came. */
  written({ tenant, id, use }: NotedUse): void {
    const key = keyOf(tenant, id);
    if (this.#noted.get(key)?.use === use) this.#noted.delete(key);
  }

  /** Drops the use of a secret that was removed. */
  forget(tenant: TenantId, id: SecretId): void {
    this.#noted.delete(keyOf(tenant, id));
  }
}

/** Names a secret among those of all tenants. */
export function keyOf(tenant: TenantId, { namespace, name }: SecretId): string {
  return `${tenant}/${namespace}/${name}`;
}
