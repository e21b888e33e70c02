/** Checks large values: each has all its chunks, and something refers to it. */
import { chunkCount } from "../blobs/blob_chunks.ts";
import { bytesOfChunk } from "../blobs/blob_chunks.ts";
import type { BlobRef } from "../blobs/blobs.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { BLOB_INTENTS, blobChunkKey } from "../keys.ts";
import type { StoredEntry } from "../store.ts";
import type { CheckContext } from "./context.ts";

interface StoredValue {
  chunks: number;
  bytes: number;
  /** A chunk is missing before one that is there, or is of an unknown format. */
  isBroken: boolean;
}

/** The values of one owner. */
export class OwnedValues {
  readonly #tenant: TenantId;
  readonly #owner: string;
  readonly #stored = new Map<string, StoredValue>();
  readonly #referred = new Set<string>();

  constructor(tenant: TenantId, owner: string) {
    this.#tenant = tenant;
    this.#owner = owner;
  }

  /** Adds a stored chunk; chunks come in order. */
  addChunk({ key, value }: StoredEntry): void {
    const [, , , blobId, chunk] = key;
    const known = this.#stored.get(String(blobId)) ?? { chunks: 0, bytes: 0, isBroken: false };
    const bytes = bytesOfChunk(value);
    known.isBroken ||= bytes === undefined || Number(chunk) !== known.chunks;
    known.chunks++;
    known.bytes += bytes?.length ?? 0;
    this.#stored.set(String(blobId), known);
  }

  /** Checks a value that the record at `place` refers to. */
  refer({ blobId, size }: BlobRef, place: StoredEntry["key"], context: CheckContext): void {
    this.#referred.add(blobId);
    if (size === 0) return;
    const stored = this.#stored.get(blobId);
    const wanted = chunkCount(size);
    const isWhole = stored && !stored.isBroken && stored.chunks === wanted && stored.bytes === size;
    if (isWhole) return;
    const detail = `value "${blobId}" has ${stored?.bytes ?? 0} of ${size} bytes`;
    context.found("value_missing", place, detail);
  }

  /** Adds the values that nothing refers to, nor marks for removal. */
  finish(context: CheckContext, intents: ReadonlySet<string>): void {
    for (const [blobId, { bytes }] of this.#stored) {
      if (this.#referred.has(blobId) || intents.has(blobId)) continue;
      context.found(
        "value_unreferenced",
        blobChunkKey(this.#tenant, this.#owner, blobId, 0),
        `${bytes} bytes`,
      );
    }
  }
}

/** Ids of the values that are marked for removal by the next start. */
export async function readIntents(context: CheckContext): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { key } of context.read(BLOB_INTENTS, "marks of values to remove")) {
    ids.add(String(key[3]));
  }
  return ids;
}
