/** The stored format of large values: chunks of a format byte and up to {@link BLOB_CHUNK_BYTES} bytes of content. */
import { DomainError } from "../../model/errors.ts";
import { BLOB_CHUNK_BYTES } from "../../model/limits.ts";

/** First byte of a chunk with uncompressed content. */
const FORMAT_RAW = 0x02;

/** Number of chunks of a value of `size` bytes. */
export function chunkCount(size: number): number {
  return Math.ceil(size / BLOB_CHUNK_BYTES);
}

/** The content of a stored chunk; `undefined` when the format is unknown. */
export function bytesOfChunk(chunk: Uint8Array): Uint8Array | undefined {
  return chunk[0] === FORMAT_RAW ? chunk.subarray(1) : undefined;
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
    if (total > maxBytes) {
      throw new DomainError("too_large", `Cannot store the content: it is larger than ${maxBytes} bytes`);
    }
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
