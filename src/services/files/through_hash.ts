/** Hashes a content while it is stored. */
import type { Hash } from "node:crypto";

/** The chunks of a content; each updates the hash when it is read. */
export async function* throughHash(
  source: AsyncIterable<Uint8Array>,
  hash: Hash,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}
