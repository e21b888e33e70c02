/** Stored records of the audit log: positional lists by time. They belong to no tenant, so that they outlive it. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import type { AuditPlace, AuditRecord, AuditType } from "../../model/audit.ts";
import { decodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { auditKey, auditRange } from "../keys.ts";
import type { Store, StoredEntry } from "../store.ts";
import { deleteKey, readEntries, setJson } from "../stored_entries.ts";

/** Records that are read together. */
const BATCH_SIZE = 100;

/** Reads and writes records of the audit log. */
export class AuditRecords {
  readonly #store: Store;
  readonly #committer: Committer;

  constructor(store: Store, committer: Committer) {
    this.#store = store;
    this.#committer = committer;
  }

  /** Writes a record; resolves once durable. */
  async add({ at, id, ...event }: AuditRecord): Promise<void> {
    const { type, operation, method, status, user, tokenId, address, tenant, resources } = event;
    const value = [
      type,
      operation,
      method,
      status,
      user,
      tokenId ?? null,
      address,
      tenant ?? null,
      resources,
    ];
    await this.#committer.commit({ mutations: [setJson(auditKey(at, id), value)], isFollowUp: true });
  }

  /** Records from `from` on and before `to`, newest first; `before` is the place of the last one that was read. */
  async *list(
    from: Instant | undefined,
    to: Instant | undefined,
    before?: AuditPlace,
  ): AsyncGenerator<AuditRecord> {
    // The database refuses a range that ends before it begins.
    if ((from ?? 0) > Math.min(to ?? Infinity, before?.at ?? Infinity)) return;
    const selector = auditRange(from, to, before);
    yield* readEntries(this.#store, selector, decodeAudit, { reverse: true, batchSize: BATCH_SIZE });
  }

  /** Removes up to so many of the records before an instant, oldest first; gives their number. */
  async removeBefore(before: Instant, limit: number): Promise<number> {
    const entries = await Array.fromAsync(this.#store.list(auditRange(undefined, before), { limit }));
    if (entries.length === 0) return 0;
    await this.#committer.commit({ mutations: entries.map(({ key }) => deleteKey(key)), bulk: true });
    return entries.length;
  }
}

/** A stored record. */
export function decodeAudit({ key, value }: StoredEntry): AuditRecord {
  const [type, operation, method, status, user, tokenId, address, tenant, resources] = decodeJson(
    value,
  ) as JsonValue[];
  return {
    at: Number(key[1]),
    id: String(key[2]),
    type: String(type) as AuditType,
    operation: String(operation),
    method: String(method),
    status: Number(status),
    user: String(user),
    tokenId: tokenId as string | null ?? undefined,
    address: String(address),
    tenant: tenant as string | null ?? undefined,
    resources: resources as [string, string][],
  };
}
