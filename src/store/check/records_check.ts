/** Checks the records of a tenant that belong to no execution, and the indexes by due time. */
import type { Instant } from "../../base/time/clock.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import { type BlobRef, blobRefOf } from "../blobs/blobs.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import {
  cacheExpiryKey,
  fileKey,
  globalKeys,
  idempotencyExpiryKey,
  keysOfKind,
  kvExpiryKey,
  triggerDueKey,
} from "../keys.ts";
import { decodeDashboard } from "../records/dashboard_records.ts";
import { decodeFile, type FileRevision, revisionsOf } from "../records/file_records.ts";
import { decodeIdempotency } from "../records/idempotency_records.ts";
import { decodePair } from "../records/kv_pair_records.ts";
import { decodeNamespace } from "../records/namespace_records.ts";
import { decodeRename } from "../records/rename_records.ts";
import { decodeSecret } from "../records/secret_records.ts";
import { announcementFrom, decodeState, triggerKeyOf } from "../records/trigger_records.ts";
import type { Key, StoredEntry } from "../store.ts";
import type { CheckContext } from "./context.ts";
import type { CheckedFlows } from "./flows_check.ts";
import type { OwnedValues } from "./values_check.ts";

interface RecordsCheckDeps {
  readonly context: CheckContext;
  readonly flows: CheckedFlows;
  /** The values of an owner, whose chunks were read before. */
  readonly valuesOf: (tenant: TenantId, owner: string) => OwnedValues;
}

const MARK = new Uint8Array([1]);
const NOTHING = encodeJson(null);

/** Checks records one kind after the other. */
export class RecordsCheck {
  readonly #deps: RecordsCheckDeps;
  /** Index entries of one kind that no record has needed yet. */
  readonly #index = new Map<string, Key>();

  constructor(deps: RecordsCheckDeps) {
    this.#deps = deps;
  }

  /** Checks the records of a tenant. */
  async run(tenant: TenantId): Promise<void> {
    await this.#checkPlain(tenant);
    await this.#checkPairs(tenant);
    await this.#checkIdempotency(tenant);
    await this.#checkCachedOutputs(tenant);
    await this.#checkFiles(tenant);
  }

  /** Checks the triggers of all tenants: their due times are in one index. */
  async checkTriggers(tenants: readonly TenantId[]): Promise<void> {
    const { context, flows } = this.#deps;
    await this.#readIndex(globalKeys("td"), "due times of triggers");
    const names = new Set<string>();
    for (const tenant of tenants) {
      for await (const entry of context.read(keysOfKind(tenant, "tr"), "triggers")) {
        const state = context.decode(entry, decodeState);
        if (!state) continue;
        names.add(nameOf(tenant, state));
        if (!flows.ofName(tenant, { namespace: state.namespace, id: state.flowId })) {
          context.found("record_stray", entry.key, "its flow is not stored");
        }
        if (state.dueAt !== undefined) this.#need(triggerDueKey(state.dueAt, tenant, state), MARK);
      }
      await this.#checkTriggerParts(tenant, names);
    }
    this.#endIndex();
    for await (const entry of context.read(globalKeys("oe"), "announcements to triggers")) {
      context.decode(entry, ({ key, value }) => announcementFrom(key, value));
    }
  }

  /** Marks and windows. */
  async #checkTriggerParts(tenant: TenantId, names: ReadonlySet<string>): Promise<void> {
    const { context } = this.#deps;
    for await (const entry of context.read(keysOfKind(tenant, "ti"), "marks of triggers")) {
      context.decode(entry, ({ value }) => decodeJson(value));
      if (!names.has(nameOf(tenant, triggerKeyOf(entry.key)))) {
        context.found("record_stray", entry.key, "its trigger is not stored");
      }
    }
    for await (const entry of context.read(keysOfKind(tenant, "tw"), "windows of triggers")) {
      context.decode(entry, ({ value }) => decodeJson(value));
    }
  }

  async #checkPlain(tenant: TenantId): Promise<void> {
    const { context } = this.#deps;
    const kinds: readonly (readonly [string, string, (entry: StoredEntry) => unknown])[] = [
      ["ns", "namespaces", decodeNamespace],
      ["s", "secrets", decodeSecret],
      ["nr", "renames of namespaces", decodeRename],
      ["da", "dashboards", decodeDashboard],
    ];
    for (const [kind, name, decode] of kinds) {
      for await (const entry of context.read(keysOfKind(tenant, kind), name)) context.decode(entry, decode);
    }
    for await (const entry of context.read(keysOfKind(tenant, "fc"), "caches of flows")) {
      this.#refer(tenant, String(entry.key[2]), entry, ({ value }) => blobRefOf(decodeJson(value)));
    }
  }

  async #checkPairs(tenant: TenantId): Promise<void> {
    const { context } = this.#deps;
    await this.#readIndex(keysOfKind(tenant, "kx"), "expiry times of KV pairs");
    for await (const entry of context.read(keysOfKind(tenant, "kv"), "KV pairs")) {
      const pair = context.decode(entry, decodePair);
      if (!pair) continue;
      const { namespace, key, expiresAt, content } = pair;
      if (expiresAt !== undefined) this.#need(kvExpiryKey(tenant, expiresAt, namespace, key), NOTHING);
      if ("blob" in content) this.#refer(tenant, namespace, entry, () => content.blob);
    }
    this.#endIndex();
  }

  async #checkIdempotency(tenant: TenantId): Promise<void> {
    const { context } = this.#deps;
    await this.#readIndex(keysOfKind(tenant, "ie"), "expiry times of idempotency records");
    for await (const entry of context.read(keysOfKind(tenant, "ik"), "idempotency records")) {
      const record = context.decode(entry, decodeIdempotency);
      if (!record) continue;
      const hash = String(entry.key[2]);
      const { content } = record;
      this.#need(idempotencyExpiryKey(tenant, record.expiresAt, hash), NOTHING);
      if ("blob" in content) this.#refer(tenant, hash, entry, () => content.blob);
    }
    this.#endIndex();
  }

  async #checkCachedOutputs(tenant: TenantId): Promise<void> {
    const { context } = this.#deps;
    await this.#readIndex(keysOfKind(tenant, "te"), "expiry times of cached outputs");
    for await (const entry of context.read(keysOfKind(tenant, "tc"), "cached outputs")) {
      const stored = context.decode(entry, ({ value }) => decodeJson(value) as [Instant, unknown]);
      const [expiresAt] = stored ?? [0];
      if (expiresAt !== 0) this.#need(cacheExpiryKey(expiresAt, entry.key), NOTHING);
    }
    this.#endIndex();
  }

  async #checkFiles(tenant: TenantId): Promise<void> {
    const { context } = this.#deps;
    const directories = new Set<string>();
    for await (const entry of context.read(keysOfKind(tenant, "nf"), "namespace files")) {
      const namespace = String(entry.key[2]);
      const file = context.decode(entry, decodeFile);
      if (!file) continue;
      const { path } = file;
      const revisions = revisionsOf(file);
      for (const { content } of revisions) this.#refer(tenant, namespace, entry, () => content);
      if (revisions.length === 0) directories.add(`${namespace}:${path}`);
      if (!areRising(revisions)) context.found("file_revisions_mixed", entry.key);
      const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      if (parent === "" || directories.has(`${namespace}:${parent}`)) continue;
      context.found("directory_missing", fileKey(tenant, namespace, path), `"${parent}"`);
    }
  }

  #refer(tenant: TenantId, owner: string, entry: StoredEntry, refOf: (entry: StoredEntry) => BlobRef): void {
    const { context, valuesOf } = this.#deps;
    const ref = context.decode(entry, refOf);
    if (ref) valuesOf(tenant, owner).refer(ref, entry.key, context);
  }

  async #readIndex(selector: Parameters<CheckContext["read"]>[0], name: string): Promise<void> {
    this.#index.clear();
    for await (const { key } of this.#deps.context.read(selector, name)) this.#index.set(key.join("/"), key);
  }

  /** A record that must be in the index. */
  #need(key: Key, value: Uint8Array): void {
    if (this.#index.delete(key.join("/"))) return;
    this.#deps.context.found("index_missing", key);
    this.#deps.context.repairs.push({ type: "set", key, value });
  }

  #endIndex(): void {
    for (const key of this.#index.values()) this.#deps.context.found("index_stray", key);
    this.#index.clear();
  }
}

function areRising(revisions: readonly FileRevision[]): boolean {
  return revisions.every(({ revision }, index) => revision > (revisions[index - 1]?.revision ?? 0));
}

function nameOf(
  tenant: TenantId,
  { namespace, flowId, triggerId }: Pick<TriggerState, "namespace" | "flowId" | "triggerId">,
): string {
  return `${tenant}/${namespace}/${flowId}/${triggerId}`;
}
