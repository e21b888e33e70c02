/** Bytes of the Tabular Data Stream: numbers are little endian, texts UTF-16. */

/** Thrown where a value goes beyond the bytes that have arrived. */
export const INCOMPLETE: unique symbol = Symbol("incomplete");

/** Reads values one after the other. @throws INCOMPLETE the rest has not arrived */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes that were read. */
  get position(): number {
    return this.#at;
  }

  /** The next bytes, not copied. */
  take(count: number): Uint8Array {
    const start = this.#advance(count);
    return this.#bytes.subarray(start, start + count);
  }

  /** 8 bits. */
  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  /** 16 bits. */
  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  /** 32 bits. */
  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  /** 32 bits with a sign. */
  i32(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  /** 64 bits. */
  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  /** A text of so many characters. */
  text(chars: number): string {
    return utf16Text(this.take(chars * 2));
  }

  #advance(count: number): number {
    const start = this.#at;
    if (start + count > this.#bytes.length) throw INCOMPLETE;
    this.#at += count;
    return start;
  }
}

/** The text of UTF-16 bytes. */
export function utf16Text(bytes: Uint8Array): string {
  return new TextDecoder("utf-16le").decode(bytes);
}

/** The UTF-16 bytes of a text. */
export function utf16Bytes(text: string): Uint8Array<ArrayBuffer> {
  const units = new Uint8Array(text.length * 2);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    units[index * 2] = unit & 0xff;
    units[index * 2 + 1] = unit >> 8;
  }
  return units;
}

/** A whole number without a sign, of at most 16 bytes. */
export function unsignedOf(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
