/** KV pairs in the store: a positional list with the value at its end; a large value is a blob of the namespace. */
import type { Instant } from "../../base/clock.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import {
  KV_TYPES,
  type KvPair,
  type KvPairId,
  type KvPairInfo,
  type KvType,
} from "../../model/namespaces/kv_pair.ts";
import { BLOB_CHUNK_BYTES, MAX_KV_VALUE_BYTES } from "../../model/limits.ts";
import type { BlobRef, Blobs } from "../blobs/blobs.ts";
import { decodeJson, encodeJson, encodeText } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { kvExpiriesBefore, kvExpiryKey, kvPairKey, kvPairsOf, kvPairsOfTenant } from "../namespace_keys.ts";
import type { Mutation, Selector, Store, StoredEntry } from "../store.ts";

/** A pair as stored: its value is inline, or a blob. */
export interface StoredKvPair extends KvPairInfo {
  readonly type: KvType;
  readonly content: { readonly value: JsonValue } | { readonly blob: BlobRef };
}

/** What the records work with. */
interface KvPairRecordsDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly blobs: Blobs;
}

/** Reads and writes pairs; who writes holds the pair's lock, so that `previous` is what is stored. */
export class KvPairRecords {
  readonly #deps: KvPairRecordsDeps;

  constructor(deps: KvPairRecordsDeps) {
    this.#deps = deps;
  }

  /** The pair without a large value's content, expired or not. */
  async get(tenant: TenantId, id: KvPairId): Promise<StoredKvPair | undefined> {
    const entry = await this.#deps.store.get(kvPairKey(tenant, id.namespace, id.key));
    return entry === null ? undefined : decodePair(entry);
  }

  /** The value, or `undefined` when the pair was replaced while it was being read. */
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

  /** Writes the pair in place of `previous`; resolves once durable. */
  async put(tenant: TenantId, pair: KvPair, previous: StoredKvPair | undefined): Promise<void> {
    const { committer, blobs } = this.#deps;
    const owner = { tenant, owner: pair.namespace };
    const text = stringifyJson(pair.value);
    const inline = encodeText(recordText(pair, text));
    const isLarge = inline.length > BLOB_CHUNK_BYTES;
    // A value is counted as it was sent; its own spelling is a little longer at most.
    const blob = isLarge
      ? await blobs.write(
        owner,
        ReadableStream.from([new TextEncoder().encode(text)]),
        MAX_KV_VALUE_BYTES * 8,
      )
      : undefined;
    const value = blob
      ? encodeText(recordText(pair, `[${JSON.stringify(blob.blobId)},${blob.size}]`, true))
      : inline;
    const mutations: Mutation[] = [
      ...this.#removalOf(tenant, previous),
      { type: "set", key: kvPairKey(tenant, pair.namespace, pair.key), value },
    ];
    if (pair.expiresAt !== undefined) {
      const key = kvExpiryKey(tenant, pair.expiresAt, pair.namespace, pair.key);
      mutations.push({ type: "set", key, value: encodeJson(null) });
    }
    if (blob) await blobs.commit(owner, [blob], () => mutations);
    else await committer.commit({ mutations });
    await this.#removeBlob(tenant, previous);
  }

  /** Removes the pair; resolves once durable. */
  async delete(tenant: TenantId, previous: StoredKvPair): Promise<void> {
    const key = kvPairKey(tenant, previous.namespace, previous.key);
    const mutations: Mutation[] = [...this.#removalOf(tenant, previous), { type: "delete", key }];
    await this.#deps.committer.commit({ mutations });
    await this.#removeBlob(tenant, previous);
  }

  /** The pairs of a namespace in key order, or those of all namespaces; expired ones too. */
  async *list(tenant: TenantId, namespace?: string): AsyncIterable<KvPairInfo & { readonly type: KvType }> {
    const selector: Selector = namespace === undefined
      ? kvPairsOfTenant(tenant)
      : kvPairsOf(tenant, namespace);
    for await (const entry of this.#deps.store.list(selector)) yield decodePair(entry);
  }

  /** At most `limit` pairs that expired before `beforeMs`, the earliest first. */
  async expiredBefore(tenant: TenantId, beforeMs: Instant, limit: number): Promise<KvPairId[]> {
    const found: KvPairId[] = [];
    for await (const { key } of this.#deps.store.list(kvExpiriesBefore(tenant, beforeMs), { limit })) {
      found.push({ namespace: String(key[3]), key: String(key[4]) });
    }
    return found;
  }

  /** Lets go of what the stored pair has beside its record. */
  #removalOf(tenant: TenantId, pair: StoredKvPair | undefined): Mutation[] {
    if (pair === undefined) return [];
    const mutations: Mutation[] = [];
    if (pair.expiresAt !== undefined) {
      mutations.push({ type: "delete", key: kvExpiryKey(tenant, pair.expiresAt, pair.namespace, pair.key) });
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

/** `[type, revision, createdAt, updatedAt - createdAt, expiresAt - createdAt, description, isBlob, value or [blobId, size]]`. */
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

function decodePair({ key, value }: StoredEntry): StoredKvPair {
  const [type, revision, createdAt, updated, expires, description, isBlob, content] = decodeJson(value) as [
    number,
    number,
    number,
    number,
    number | null,
    string | null,
    number,
    JsonValue,
  ];
  return {
    namespace: String(key[2]),
    key: String(key[3]),
    type: KV_TYPES[type] ?? "STRING",
    revision,
    createdAt,
    updatedAt: createdAt + updated,
    ...(expires !== null && { expiresAt: createdAt + expires }),
    ...(description !== null && { description }),
    content: isBlob === 1 ? { blob: blobOf(content as [string, number]) } : { value: content },
  };
}

function blobOf([blobId, size]: [string, number]): BlobRef {
  return { blobId, size };
}
