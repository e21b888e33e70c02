/** Opens contents of files that may be replaced or dropped meanwhile, and stages new ones. */
import { createHash } from "node:crypto";
import type { BlobOwner, Blobs, StagedBlob } from "../../store/blobs/blobs.ts";
import {
  type FileContent,
  type FileRecords,
  type FileSpace,
  revisionsOf,
} from "../../store/records/file_records.ts";
import { throughHash } from "./through_hash.ts";

interface ContentDeps {
  readonly records: FileRecords;
  readonly blobs: Blobs;
}

/** A content of one path, not yet committed. */
export interface StagedFile {
  readonly path: string;
  readonly blob: StagedBlob;
  readonly digest: string;
}

/** Writes the content of a file that is committed later. @throws DomainError too_large, storage_full, unavailable */
export async function stageFile(
  { blobs, maxBytes }: { readonly blobs: Blobs; readonly maxBytes: number },
  { space, path, source }: {
    readonly space: FileSpace;
    readonly path: string;
    readonly source: AsyncIterable<Uint8Array>;
  },
): Promise<StagedFile> {
  const hash = createHash("sha256");
  const blob = await blobs.write(ownerOf(space), throughHash(source, hash), maxBytes);
  return { path, blob, digest: hash.digest("base64url") };
}

/** The bytes of a content; `undefined` if the file has dropped it meanwhile. The stream must be read to the end or cancelled. */
export async function openContent(
  deps: ContentDeps,
  { space, path, content }: {
    readonly space: FileSpace;
    readonly path: string;
    readonly content: FileContent;
  },
): Promise<ReadableStream<Uint8Array> | undefined> {
  const stream = deps.blobs.read(ownerOf(space), content);
  const isReferred = async () => {
    const current = await deps.records.get(space, path);
    return current !== undefined &&
      revisionsOf(current).some((each) => each.content.blobId === content.blobId);
  };
  if (!deps.blobs.isChunked(content)) return await readSmall(stream, isReferred);
  // The open stream keeps the content readable.
  if (await isReferred()) return stream;
  await stream.cancel();
  return undefined;
}

/** The owner of the contents of a namespace. */
export function ownerOf({ tenant, namespace }: FileSpace): BlobOwner {
  return { tenant, owner: namespace };
}

/** Content of one chunk is deleted by the entry that drops it, so it is read immediately. */
async function readSmall(
  stream: ReadableStream<Uint8Array>,
  isReferred: () => Promise<boolean>,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const [read] = await Promise.allSettled([new Response(stream).bytes()]);
  if (read.status === "fulfilled") return ReadableStream.from(read.value.length > 0 ? [read.value] : []);
  if (await isReferred()) throw read.reason;
  return undefined;
}
