/** Stored KV pairs: a positional list that ends with the value. A large value is a blob owned by the namespace. */
import type { Instant } from "../../base/time/clock.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import {
  KV_TYPES,
  type KvPair,
  type KvPairId,
  type KvPairInfo,
  type KvType,
} from "../../model/namespaces/kv_pair.ts";
import { BLOB_CHUNK_BYTES } from "../../model/limits.ts";
import { type BlobRef, blobRefOf, type Blobs } from "../blobs/blobs.ts";
import { decodeJson, encodeText } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { kvExpiriesBefore, kvExpiryKey, kvPairKey, kvPairsOf, kvPairsOfTenant } from "../keys.ts";
import type { Mutation, Store, StoredEntry } from "../store.ts";
import { deleteKey, readEntries, readEntry, setJson } from "../stored_entries.ts";

/** Pairs, with values of up to 60 KiB, that are read together for a list. */
const PAIRS_AT_ONCE = 64;

/** A pair as stored: the value is inline or a blob. */
export interface StoredKvPair extends KvPairInfo {
  readonly type: KvType;
  readonly content: { readonly value: JsonValue } | { readonly blob: BlobRef };
}

interface KvPairRecordsDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly blobs: Blobs;
}

/** Reads and writes pairs. A writer holds the lock of the pair, so that `previous` equals the stored pair. */
export class KvPairRecords {
  readonly #deps: KvPairRecordsDeps;

  constructor(deps: KvPairRecordsDeps) {
    this.#deps = deps;
  }

  /** The pair, also an expired one; a large value is not read. */
  get(tenant: TenantId, id: KvPairId): Promise<StoredKvPair | undefined> {
    return readEntry(this.#deps.store, kvPairKey(tenant, id.namespace, id.key), decodePair);
  }

  /** The value; `undefined` when the pair was replaced concurrently. */
  async valueOf(tenant: TenantId, pair: StoredKvPair): Promise<JsonValue | undefined> {
    if ("value" in pair.content) return pair.content.value;
    const stream = this.#deps.blobs.read({ tenant, owner: pair.namespace }, pair.content.blob);
    const current = await this.get(tenant, pair);
    if (blobIdOf(current) !== pair.content.blob.blobId) {
      await stream.cancel();
      return undefined;
    }
    return parseJson(await new Response(stream).text());
  }

  /** Replaces `previous` by the pair; resolves once durable. */
  async put(tenant: TenantId, pair: KvPair, previous: StoredKvPair | undefined): Promise<void> {
    const { committer, blobs } = this.#deps;
    const owner = { tenant, owner: pair.namespace };
    const text = stringifyJson(pair.value);
    const inline = encodeText(recordText(pair, text));
    const isLarge = inline.length > BLOB_CHUNK_BYTES;
    const blob = isLarge ? await blobs.writeBytes(owner, new TextEncoder().encode(text)) : undefined;
    const value = blob
      ? encodeText(recordText(pair, `[${JSON.stringify(blob.blobId)},${blob.size}]`, true))
      : inline;
    const mutations: Mutation[] = [
      ...this.#removalOf(tenant, previous),
      { type: "set", key: kvPairKey(tenant, pair.namespace, pair.key), value },
    ];
    if (pair.expiresAt !== undefined) {
      mutations.push(setJson(kvExpiryKey(tenant, pair.expiresAt, pair.namespace, pair.key), null));
    }
    if (blob) await blobs.commit(owner, [blob], () => mutations);
    else await committer.commit({ mutations });
    await this.#removeBlob(tenant, previous);
  }

  /** Removes the pair; resolves once durable. */
  async delete(tenant: TenantId, previous: StoredKvPair): Promise<void> {
    const deletion = deleteKey(kvPairKey(tenant, previous.namespace, previous.key));
    await this.#deps.committer.commit({ mutations: [...this.#removalOf(tenant, previous), deletion] });
    await this.#removeBlob(tenant, previous);
  }

  /** The pairs of a namespace in key order, including expired ones; without `namespace` those of all namespaces. */
  list(tenant: TenantId, namespace?: string): AsyncIterable<KvPairInfo & { readonly type: KvType }> {
    const selector = namespace === undefined ? kvPairsOfTenant(tenant) : kvPairsOf(tenant, namespace);
    return readEntries(this.#deps.store, selector, decodePair, { batchSize: PAIRS_AT_ONCE });
  }

  /** True if the namespace holds a pair, expired or not. */
  async hasAny(tenant: TenantId, namespace: string): Promise<boolean> {
    const first = readEntries(this.#deps.store, kvPairsOf(tenant, namespace), ({ key }) => key, { limit: 1 });
    return (await Array.fromAsync(first)).length > 0;
  }

  /** At most `limit` pairs that expired before `beforeMs`, earliest first. */
  expiredBefore(tenant: TenantId, beforeMs: Instant, limit: number): Promise<KvPairId[]> {
    const idOf = ({ key }: StoredEntry) => ({ namespace: String(key[3]), key: String(key[4]) });
    const expired = kvExpiriesBefore(tenant, beforeMs);
    return Array.fromAsync(readEntries(this.#deps.store, expired, idOf, { limit }));
  }

  /** Deletes the expiry key and retires the blob of the stored pair. */
  #removalOf(tenant: TenantId, pair: StoredKvPair | undefined): Mutation[] {
    if (pair === undefined) return [];
    const mutations: Mutation[] = [];
    if (pair.expiresAt !== undefined) {
      mutations.push(deleteKey(kvExpiryKey(tenant, pair.expiresAt, pair.namespace, pair.key)));
    }
    if ("blob" in pair.content) {
      mutations.push(...this.#deps.blobs.retire({ tenant, owner: pair.namespace }, pair.content.blob));
    }
    return mutations;
  }

  async #removeBlob(tenant: TenantId, pair: StoredKvPair | undefined): Promise<void> {
    if (pair === undefined || !("blob" in pair.content)) return;
    await this.#deps.blobs.remove({ tenant, owner: pair.namespace }, pair.content.blob);
  }
}

function blobIdOf(pair: StoredKvPair | undefined): string | undefined {
  return pair && "blob" in pair.content ? pair.content.blob.blobId : undefined;
}

/** `content` is the value or `[blobId, size]`; `updatedMs` and `expiresMs` count from `createdAt`. */
type PackedPair = [
  type: number,
  revision: number,
  createdAt: Instant,
  updatedMs: number,
  expiresMs: number | null,
  description: string | null,
  isBlob: number,
  content: JsonValue,
];

/** The JSON text of a {@link PackedPair}, without parsing `content`. */
function recordText(pair: KvPair, content: string, isBlob = false): string {
  const head = JSON.stringify([
    KV_TYPES.indexOf(pair.type),
    pair.revision,
    pair.createdAt,
    pair.updatedAt - pair.createdAt,
    pair.expiresAt === undefined ? null : pair.expiresAt - pair.createdAt,
    pair.description ?? null,
    isBlob ? 1 : 0,
  ]);
  return `${head.slice(0, -1)},${content}]`;
}

/** A stored KV pair. */
export function decodePair({ key, value }: StoredEntry): StoredKvPair {
  const [type, revision, createdAt, updatedMs, expiresMs, description, isBlob, content] = decodeJson(
    value,
  ) as PackedPair;
  return {
    namespace: String(key[2]),
    key: String(key[3]),
    type: KV_TYPES[type] ?? "STRING",
    revision,
    createdAt,
    updatedAt: createdAt + updatedMs,
    ...(expiresMs !== null && { expiresAt: createdAt + expiresMs }),
    ...(description !== null && { description }),
    content: isBlob === 1 ? { blob: blobRefOf(content) } : { value: content },
  };
}
