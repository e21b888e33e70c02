/** Answers to starts that were sent with an idempotency key: a positional list; a large body is a blob of its own owner. */
import type { Instant } from "../../base/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { BLOB_CHUNK_BYTES } from "../../model/limits.ts";
import type { BlobRef, Blobs, StagedBlob } from "../blobs/blobs.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { idempotencyExpiriesBefore, idempotencyExpiryKey, idempotencyKey } from "../keys.ts";
import type { Mutation, Store } from "../store.ts";

/** What a caller was answered. */
export interface StartResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** What is kept of a start. */
export interface IdempotencyRecord {
  readonly expiresAt: Instant;
  /** Hash of method, flow and query. */
  readonly requestHash: string;
  /** Hash of the values and files that were sent. */
  readonly contentHash: string;
  readonly executionId: string;
  readonly flowRevision: number;
  /** Absent where the execution's end is the answer. */
  readonly response?: StartResponse;
}

/** A record as stored: the body of its answer is inline, or a blob. */
interface StoredIdempotencyRecord extends Omit<IdempotencyRecord, "response"> {
  readonly response?: Omit<StartResponse, "body">;
  readonly content: { readonly body: string } | { readonly blob: BlobRef };
}

/** What makes a record durable, and how to let go of it when that is refused. */
interface StagedRecord {
  readonly mutations: readonly Mutation[];
  readonly discard: () => Promise<void>;
}

/** Whose record it is. */
export interface RecordPlace {
  readonly tenant: TenantId;
  /** Of the caller and its key, in hexadecimal digits. */
  readonly hash: string;
}

/** What the records work with. */
interface IdempotencyRecordsDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly blobs: Blobs;
}

type Packed = [
  expiresAt: number,
  requestHash: string,
  contentHash: string,
  executionId: string,
  flowRevision: number,
  status: number,
  contentType: string,
  isBlob: number,
  content: JsonValue,
];

/** Reads, prepares and removes records; who prepares one holds the lock of its place. */
export class IdempotencyRecords {
  readonly #deps: IdempotencyRecordsDeps;

  constructor(deps: IdempotencyRecordsDeps) {
    this.#deps = deps;
  }

  /** The record, expired or not, without a large body. */
  async get({ tenant, hash }: RecordPlace): Promise<StoredIdempotencyRecord | undefined> {
    const entry = await this.#deps.store.get(idempotencyKey(tenant, hash));
    return entry === null ? undefined : unpack(decodeJson(entry.value) as Packed);
  }

  /** The answer with its body; `undefined` where the execution's end is the answer. */
  async responseOf(place: RecordPlace, record: StoredIdempotencyRecord): Promise<StartResponse | undefined> {
    const { response, content } = record;
    if (!response) return undefined;
    if ("body" in content) return { ...response, body: content.body };
    const stream = this.#deps.blobs.read(ownerOf(place), content.blob);
    return { ...response, body: await new Response(stream).text() };
  }

  /** Prepares a record for the commit of its start; a large body is written before it. */
  async stage(place: RecordPlace, record: IdempotencyRecord): Promise<StagedRecord> {
    const { tenant, hash } = place;
    const inline = encodeJson(pack(record, record.response?.body ?? null));
    const isLarge = inline.length > BLOB_CHUNK_BYTES;
    const blob = isLarge ? await this.#write(place, record.response?.body ?? "") : undefined;
    const value = blob ? encodeJson(pack(record, [blob.blobId, blob.size], true)) : inline;
    return {
      mutations: [
        { type: "set", key: idempotencyKey(tenant, hash), value },
        {
          type: "set",
          key: idempotencyExpiryKey(tenant, record.expiresAt, hash),
          value: encodeJson(null),
        },
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
        { type: "delete", key: idempotencyKey(tenant, hash) },
        { type: "delete", key: idempotencyExpiryKey(tenant, record.expiresAt, hash) },
        ...blob ? blobs.retire(ownerOf(place), blob) : [],
      ],
      bulk: true,
    });
    if (blob) await blobs.remove(ownerOf(place), blob);
  }

  /** Places of at most `limit` records that expired before `beforeMs`, the earliest first. */
  async expiredBefore(tenant: TenantId, beforeMs: Instant, limit: number): Promise<RecordPlace[]> {
    const found: RecordPlace[] = [];
    const expired = this.#deps.store.list(idempotencyExpiriesBefore(tenant, beforeMs), { limit });
    for await (const { key } of expired) found.push({ tenant, hash: String(key[3]) });
    return found;
  }

  #write(place: RecordPlace, body: string): Promise<StagedBlob> {
    const bytes = new TextEncoder().encode(body);
    return this.#deps.blobs.write(ownerOf(place), ReadableStream.from([bytes]), bytes.length);
  }
}

function ownerOf({ tenant, hash }: RecordPlace): { readonly tenant: TenantId; readonly owner: string } {
  return { tenant, owner: hash };
}

/** Status 0: the execution's end is the answer. */
function pack(record: IdempotencyRecord, content: JsonValue, isBlob = false): Packed {
  const { expiresAt, requestHash, contentHash, executionId, flowRevision, response } = record;
  const { status = 0, contentType = "" } = response ?? {};
  const flag = isBlob ? 1 : 0;
  return [
    ...[expiresAt, requestHash, contentHash, executionId, flowRevision] as const,
    ...[status, contentType, flag, content] as const,
  ];
}

function unpack(packed: Packed): StoredIdempotencyRecord {
  const [
    expiresAt,
    requestHash,
    contentHash,
    executionId,
    flowRevision,
    status,
    contentType,
    isBlob,
    content,
  ] = packed;
  return {
    expiresAt,
    requestHash,
    contentHash,
    executionId,
    flowRevision,
    ...(status !== 0 && { response: { status, contentType } }),
    content: isBlob === 1 ? { blob: blobOf(content as [string, number]) } : { body: String(content ?? "") },
  };
}

function blobOf([blobId, size]: [string, number]): BlobRef {
  return { blobId, size };
}
