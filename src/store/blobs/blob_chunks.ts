/**
 * The stored format of large values: chunks of a format byte and up to {@link BLOB_CHUNK_BYTES} bytes of content, as they are or
 * compressed. Each chunk is compressed by itself, so that any part of a value can be read.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { releaseBytes } from "../../base/bytes.ts";
import { BLOB_CHUNK_BYTES } from "../../model/limits.ts";
import { tooLargeFile } from "../../model/ports/storage.ts";

/** First byte of a chunk with uncompressed content. */
const FORMAT_RAW = 0x02;
/** First byte of a chunk whose content is compressed by DEFLATE. */
const FORMAT_DEFLATE = 0x03;
/** The fastest level: 99 MB of rows take 0.4 s and become 13 MB. */
const LEVEL = 1;
/** A chunk stays as it is unless it becomes shorter than this share: reading it would cost more than it saves. */
const WORTHWHILE = 0.8;
/** The package fills one buffer of this size: several would be joined, and all of them wait for garbage collection. */
const ZLIB_BUFFER_BYTES = BLOB_CHUNK_BYTES + 1024;

/** Number of chunks of a value of `size` bytes. */
export function chunkCount(size: number): number {
  return Math.ceil(size / BLOB_CHUNK_BYTES);
}

/** The content of a stored chunk, which may share its memory; `undefined` when the format is unknown, or the content broken. */
export function bytesOfChunk(chunk: Uint8Array): Uint8Array | undefined {
  if (chunk[0] === FORMAT_RAW) return chunk.subarray(1);
  if (chunk[0] !== FORMAT_DEFLATE) return undefined;
  try {
    const limits = { maxOutputLength: BLOB_CHUNK_BYTES, chunkSize: ZLIB_BUFFER_BYTES };
    const content = inflateRawSync(chunk.subarray(1), limits);
    const bytes = new Uint8Array(content);
    releaseResult(content);
    return bytes;
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

/** The chunk, compressed if that makes it much shorter. */
export function packChunk(chunk: Uint8Array): Uint8Array {
  // 0.2 ms; other threads would take as long to be asked, and keep memory of their own.
  const packed = deflateRawSync(chunk.subarray(1), { level: LEVEL, chunkSize: ZLIB_BUFFER_BYTES });
  const isWorthwhile = packed.length <= chunk.length * WORTHWHILE;
  const stored = isWorthwhile ? new Uint8Array(packed.length + 1) : chunk;
  if (isWorthwhile) {
    stored[0] = FORMAT_DEFLATE;
    stored.set(packed, 1);
  }
  releaseResult(packed);
  return stored;
}

/** Frees what the package has returned, once it was copied. Smaller buffers may be shared. */
function releaseResult({ buffer }: Uint8Array): void {
  if (buffer.byteLength >= ZLIB_BUFFER_BYTES) releaseBytes(new Uint8Array(buffer));
}

/**
 * Splits the source into stored chunks; all but the last are full.
 * @throws DomainError too_large: more than `maxBytes`
 */
export async function* chunksOf(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let chunk = newChunk();
  let used = 1;
  let total = 0;
  for await (const piece of source) {
    total += piece.length;
    if (total > maxBytes) throw tooLargeFile(maxBytes);
    for (let offset = 0; offset < piece.length;) {
      const length = Math.min(piece.length - offset, chunk.length - used);
      chunk.set(piece.subarray(offset, offset + length), used);
      used += length;
      offset += length;
      if (used < chunk.length) continue;
      yield chunk;
      chunk = newChunk();
      used = 1;
    }
  }
  if (used > 1) yield chunk.slice(0, used);
}

function newChunk(): Uint8Array {
  const chunk = new Uint8Array(BLOB_CHUNK_BYTES + 1);
  chunk[0] = FORMAT_RAW;
  return chunk;
}
