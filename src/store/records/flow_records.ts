/** Stored flows: one head for each flow, kept in memory by the flows service, and the parts of each revision, read on demand. */
import { joinBytes } from "../../base/bytes.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { FlowKey, TenantId } from "../../model/flows/flow.ts";
import { BLOB_CHUNK_BYTES } from "../../model/limits.ts";
import { decodeJson, encodeCompressed, encodeText } from "../codec.ts";
import { flowKey, flowRevisionKey, flowRevisionParts, flowRevisionsOf, flowsOf } from "../keys.ts";
import type { Mutation, Store, StoredEntry } from "../store.ts";
import { deletionsOf, readEntries, setJson } from "../stored_entries.ts";

/** The facts of a flow that need no revision. */
export interface FlowHead {
  readonly tenant: TenantId;
  readonly namespace: string;
  readonly id: string;
  /** Assigned once, never reused. */
  readonly flowNo: number;
  /** The latest revision. */
  readonly revision: number;
  readonly disabled: boolean;
  readonly deleted: boolean;
  readonly labels: readonly { readonly key: string; readonly value: string }[];
}

/** One saved source and its parsed form. */
export interface FlowRevisionRecord {
  readonly revision: number;
  readonly deleted: boolean;
  readonly source: string;
  readonly definition: JsonObject;
}

type PackedHead = [flowNo: number, revision: number, flags: number, labels: string[]];

/** Parts of sources, up to 64 KiB each, that are read together for a list of revisions. */
const PARTS_AT_ONCE = 16;
/** Longer revisions are compressed: source and definition of a large flow are twice what a commit takes. */
const MAX_PLAIN_BYTES = 400_000;
const DISABLED = 1;
const DELETED = 2;

/** Reads flows and builds the mutations that change them. */
export class FlowRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** All heads of a tenant, including deleted flows, ordered by namespace and id. */
  heads(tenant: TenantId): AsyncIterable<FlowHead> {
    return readEntries(this.#store, flowsOf(tenant), (entry) => decodeHead(tenant, entry));
  }

  /** One revision, or `undefined`. */
  async revision(head: FlowHead, revision: number): Promise<FlowRevisionRecord | undefined> {
    const parts: Uint8Array[] = [];
    const selector = flowRevisionParts(head.tenant, head, revision);
    for await (const entry of this.#store.list(selector)) parts.push(entry.value);
    return parts.length === 0 ? undefined : decodeRevision(parts);
  }

  /** All revisions, oldest first, each read on demand. */
  async *revisions(head: FlowHead): AsyncGenerator<FlowRevisionRecord> {
    let parts: Uint8Array[] = [];
    let revision: number | undefined;
    const entries = this.#store.list(flowRevisionsOf(head.tenant, head), { batchSize: PARTS_AT_ONCE });
    for await (const { key, value } of entries) {
      if (parts.length > 0 && Number(key[4]) !== revision) {
        yield decodeRevision(parts);
        parts = [];
      }
      revision = Number(key[4]);
      parts.push(value);
    }
    if (parts.length > 0) yield decodeRevision(parts);
  }

  /** Mutations that remove a revision, which must not be the latest; none when the revision does not exist. */
  removal(head: FlowHead, revision: number): Promise<Mutation[]> {
    return deletionsOf(this.#store, flowRevisionParts(head.tenant, head, revision));
  }

  /** Mutations that save a revision and make it the latest. */
  save(head: FlowHead, record: FlowRevisionRecord): Mutation[] {
    return [...this.saveRevision(head, record), this.saveHead(head)];
  }

  /** Makes the head's revision the latest, which must be stored. */
  saveHead(head: FlowHead): Mutation {
    const { tenant, revision } = head;
    const flags = (head.disabled ? DISABLED : 0) | (head.deleted ? DELETED : 0);
    const labels = head.labels.flatMap(({ key, value }) => [key, value]);
    const packed: PackedHead = [head.flowNo, revision, flags, labels];
    return setJson(flowKey(tenant, head), packed);
  }

  /** Mutations that save a revision, each with a part of it. */
  saveRevision(
    { tenant, namespace, id }: FlowKey & Pick<FlowHead, "tenant">,
    record: FlowRevisionRecord,
  ): Mutation[] {
    const text = stringifyJson(record);
    const plain = encodeText(text);
    const bytes = plain.length > MAX_PLAIN_BYTES ? encodeCompressed(text) : plain;
    const mutations: Mutation[] = [];
    for (let part = 0; part * BLOB_CHUNK_BYTES < bytes.length; part++) {
      const value = bytes.slice(part * BLOB_CHUNK_BYTES, (part + 1) * BLOB_CHUNK_BYTES);
      const key = flowRevisionKey(tenant, { namespace, id }, record.revision, part);
      mutations.push({ type: "set", key, value });
    }
    return mutations;
  }
}

/** A stored head of a flow. */
export function decodeHead(tenant: TenantId, { key, value }: StoredEntry): FlowHead {
  const [flowNo, revision, flags, flat] = decodeJson(value) as unknown as PackedHead;
  const labels = [];
  for (let i = 0; i < flat.length; i += 2) {
    labels.push({ key: flat[i] as string, value: flat[i + 1] as string });
  }
  return {
    tenant,
    namespace: String(key[2]),
    id: String(key[3]),
    flowNo,
    revision,
    disabled: (flags & DISABLED) !== 0,
    deleted: (flags & DELETED) !== 0,
    labels,
  };
}

function decodeRevision(parts: readonly Uint8Array[]): FlowRevisionRecord {
  return decodeJson(joinBytes(parts)) as unknown as FlowRevisionRecord;
}
