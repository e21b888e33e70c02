/** The part of the Protocol Buffers wire format that KV Connect needs: varints, byte strings and messages. */

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
const FIRST_BYTES = 1_024;
/** A length takes at most five bytes. */
const MAX_LENGTH_BYTES = 5;

/** Writes a message into a buffer that grows. */
export class ProtoWriter {
  #buffer = new Uint8Array(FIRST_BYTES);
  #length = 0;

  /** The message. Valid until the next write. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Writes a whole number from 0 to 2^53 - 1, a boolean or a value of an enumeration. */
  number(field: number, value: number): void {
    this.#varint(field << 3 | VARINT);
    this.#varint(value);
  }

  /** Writes a byte string. */
  byteString(field: number, value: Uint8Array): void {
    this.#varint(field << 3 | LENGTH_DELIMITED);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  /** Writes a message; `write` writes its fields. */
  message(field: number, write: () => void): void {
    this.#varint(field << 3 | LENGTH_DELIMITED);
    const start = this.#length;
    write();
    const end = this.#length;
    this.#reserve(MAX_LENGTH_BYTES);
    // The length precedes the fields and is known only now, so they are moved by the size of it.
    this.#varint(end - start);
    const head = this.#buffer.slice(end, this.#length);
    this.#buffer.copyWithin(start + head.length, start, end);
    this.#buffer.set(head, start);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = rest % 0x80 + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#length + bytes));
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}

/** Reads the fields of a message in their order. Byte strings are views of the message. */
export class ProtoReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #wireType = VARINT;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Number of the next field, whose value must be read or skipped; 0 at the end. */
  next(): number {
    if (this.#at >= this.#bytes.length) return 0;
    const tag = this.#varint();
    this.#wireType = tag & 7;
    return tag >>> 3;
  }

  /** The value of a number. @throws Error for another type */
  number(): number {
    this.#expect(VARINT);
    return this.#varint();
  }

  /** The value of a byte string or a message. @throws Error for another type, or when the message is cut off */
  byteString(): Uint8Array {
    this.#expect(LENGTH_DELIMITED);
    return this.#take(this.#varint());
  }

  /** Skips a value of any type. */
  skip(): void {
    if (this.#wireType === VARINT) this.#varint();
    else if (this.#wireType === FIXED_64) this.#take(8);
    else if (this.#wireType === FIXED_32) this.#take(4);
    else this.byteString();
  }

  #expect(wireType: number): void {
    if (this.#wireType !== wireType) throw new Error(`Cannot read a message: wire type ${this.#wireType}`);
  }

  #take(length: number): Uint8Array {
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw cutOff();
    return this.#bytes.subarray(start, this.#at);
  }

  #varint(): number {
    let value = 0;
    for (let factor = 1;; factor *= 0x80) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw cutOff();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }
}

function cutOff(): Error {
  return new Error("Cannot read a message: it is cut off");
}
