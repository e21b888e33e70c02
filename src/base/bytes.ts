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

/** Joins parts of which there may be very many: it copies them, so that small parts of large buffers do not keep those. */
export class ByteCollector {
  #bytes = new Uint8Array();
  #size = 0;

  /** Bytes that were added since {@link take}. */
  get size(): number {
    return this.#size;
  }

  /** Adds a copy of a part. */
  add(part: Uint8Array): void {
    const size = this.#size + part.length;
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.#size);
    this.#size = size;
  }

  /** All parts; the collector is empty afterwards. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#size === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#size);
    this.#bytes = new Uint8Array();
    this.#size = 0;
    return bytes;
  }
}
