/** Byte arrays. */

/**
 * Frees the memory of bytes that nothing else uses at once, and leaves them empty: garbage collection lets tens of megabytes of
 * such buffers accumulate in streams of large files. Bytes that are a part of a larger buffer stay as they are.
 */
export function releaseBytes({ buffer, length }: Uint8Array): void {
  if (length > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/** The concatenated parts; a single part is returned as it is. */
export function joinBytes<Buffer extends ArrayBufferLike>(
  parts: readonly Uint8Array<Buffer>[],
): Uint8Array<Buffer | ArrayBuffer> {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  let length = 0;
  for (const part of parts) length += part.length;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
