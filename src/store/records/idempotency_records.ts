/** Stored responses to starts with an idempotency key: a positional list. A large body is a blob owned by the key's hash. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { BLOB_CHUNK_BYTES } from "../../model/limits.ts";
import { type BlobOwner, type BlobRef, blobRefOf, type Blobs } from "../blobs/blobs.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { idempotencyExpiriesBefore, idempotencyExpiryKey, idempotencyKey } from "../keys.ts";
import type { Mutation, Store, StoredEntry } from "../store.ts";
import { deleteKey, readEntries, readEntry, setJson } from "../stored_entries.ts";

/** The HTTP response to a start. */
export interface StartResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A start request and its response. */
export interface IdempotencyRecord {
  readonly expiresAt: Instant;
  /** Hash of method, flow and query. */
  readonly requestHash: string;
  /** Hash of the values and files that were sent. */
  readonly contentHash: string;
  readonly executionId: string;
  readonly flowRevision: number;
  /** Absent when the response is the ended execution (`wait=true`). */
  readonly response?: StartResponse;
}

/** A record as stored: the response body is inline or a blob. */
interface StoredIdempotencyRecord extends Omit<IdempotencyRecord, "response"> {
  readonly response?: Omit<StartResponse, "body">;
  readonly content: { readonly body: string } | { readonly blob: BlobRef };
}

interface StagedRecord {
  /** Must be committed to make the record durable. */
  readonly mutations: readonly Mutation[];
  /** Must be called when that commit fails. */
  readonly discard: () => Promise<void>;
}

/** The key of a record. */
export interface RecordPlace {
  readonly tenant: TenantId;
  /** Hash of the caller and the idempotency key, in hexadecimal digits. */
  readonly hash: string;
}

interface IdempotencyRecordsDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly blobs: Blobs;
}

/** Status 0: the response is the ended execution. `content` is the body or `[blobId, size]`. */
type Packed = [
  expiresAt: Instant,
  requestHash: string,
  contentHash: string,
  executionId: string,
  flowRevision: number,
  status: number,
  contentType: string,
  isBlob: number,
  content: JsonValue,
];

/** Reads, stages and removes records. The caller of {@link stage} holds the lock of the place. */
export class IdempotencyRecords {
  readonly #deps: IdempotencyRecordsDeps;

  constructor(deps: IdempotencyRecordsDeps) {
    this.#deps = deps;
  }

  /** The record, also an expired one; a large body is not read. */
  get({ tenant, hash }: RecordPlace): Promise<StoredIdempotencyRecord | undefined> {
    return readEntry(this.#deps.store, idempotencyKey(tenant, hash), decodeIdempotency);
  }

  /** The response with its body; `undefined` when the response is the ended execution. */
  async responseOf(place: RecordPlace, record: StoredIdempotencyRecord): Promise<StartResponse | undefined> {
    const { response, content } = record;
    if (!response) return undefined;
    if ("body" in content) return { ...response, body: content.body };
    const stream = this.#deps.blobs.read(ownerOf(place), content.blob);
    return { ...response, body: await new Response(stream).text() };
  }

  /** Stages a record for the commit of its start; writes a large body immediately. */
  async stage(place: RecordPlace, record: IdempotencyRecord): Promise<StagedRecord> {
    const { tenant, hash } = place;
    const body = record.response?.body ?? null;
    const inline = encodeJson(pack(record, body));
    const isLarge = inline.length > BLOB_CHUNK_BYTES;
    const blob = isLarge
      ? await this.#deps.blobs.writeBytes(ownerOf(place), new TextEncoder().encode(body ?? ""))
      : undefined;
    const value = blob ? encodeJson(pack(record, [blob.blobId, blob.size], true)) : inline;
    return {
      mutations: [
        { type: "set", key: idempotencyKey(tenant, hash), value },
        setJson(idempotencyExpiryKey(tenant, record.expiresAt, hash), null),
        ...blob?.mutations ?? [],
      ],
      discard: async () => {
        if (blob) await this.#deps.blobs.discard(ownerOf(place), blob);
      },
    };
  }

  /** Removes a record; resolves once durable. */
  async remove(place: RecordPlace, record: StoredIdempotencyRecord): Promise<void> {
    const { tenant, hash } = place;
    const { committer, blobs } = this.#deps;
    const blob = "blob" in record.content ? record.content.blob : undefined;
    await committer.commit({
      mutations: [
        deleteKey(idempotencyKey(tenant, hash)),
        deleteKey(idempotencyExpiryKey(tenant, record.expiresAt, hash)),
        ...blob ? blobs.retire(ownerOf(place), blob) : [],
      ],
      bulk: true,
    });
    if (blob) await blobs.remove(ownerOf(place), blob);
  }

  /** Places of at most `limit` records that expired before `beforeMs`, earliest first. */
  expiredBefore(tenant: TenantId, beforeMs: Instant, limit: number): Promise<RecordPlace[]> {
    const placeOf = ({ key }: StoredEntry) => ({ tenant, hash: String(key[3]) });
    const expired = idempotencyExpiriesBefore(tenant, beforeMs);
    return Array.fromAsync(readEntries(this.#deps.store, expired, placeOf, { limit }));
  }
}

function ownerOf({ tenant, hash }: RecordPlace): BlobOwner {
  return { tenant, owner: hash };
}

function pack(record: IdempotencyRecord, content: JsonValue, isBlob = false): Packed {
  const { expiresAt, requestHash, contentHash, executionId, flowRevision, response } = record;
  const { status = 0, contentType = "" } = response ?? {};
  const flag = isBlob ? 1 : 0;
  return [expiresAt, requestHash, contentHash, executionId, flowRevision, status, contentType, flag, content];
}

/** A stored idempotency record. */
export function decodeIdempotency({ value }: StoredEntry): StoredIdempotencyRecord {
  const [expiresAt, requestHash, contentHash, executionId, flowRevision, ...rest] = decodeJson(
    value,
  ) as Packed;
  const [status, contentType, isBlob, content] = rest;
  return {
    ...{ expiresAt, requestHash, contentHash, executionId, flowRevision },
    ...(status !== 0 && { response: { status, contentType } }),
    content: isBlob === 1 ? { blob: blobRefOf(content) } : { body: String(content ?? "") },
  };
}
