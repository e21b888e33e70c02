/** Byte arrays. */

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
