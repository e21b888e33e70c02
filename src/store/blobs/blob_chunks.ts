/** The form in which large values are stored: chunks of a format byte and some of the bytes. */
import { DomainError } from "../../model/errors.ts";
import { BLOB_CHUNK_BYTES } from "../../model/limits.ts";

/** First byte of a chunk: what follows are the bytes themselves. */
const FORMAT_RAW = 0x02;

/** How many chunks a value of that size has. */
export function chunkCount(size: number): number {
  return Math.ceil(size / BLOB_CHUNK_BYTES);
}

/** The bytes that a stored chunk holds; `undefined` when it is none. */
export function bytesOfChunk(chunk: Uint8Array): Uint8Array | undefined {
  return chunk[0] === FORMAT_RAW ? chunk.subarray(1) : undefined;
}

/**
 * The source cut into stored chunks: a format byte and {@link BLOB_CHUNK_BYTES} bytes, fewer in the last.
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
