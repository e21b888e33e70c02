/** The content of files of bzip2, block by block. */

/** The parts of the package `unbzip2-stream` that are used here; its own stream decodes all blocks of its buffer at once. */
interface Bzip2 {
  /** Reads the head of a stream; gives the size of its blocks in 100,000 bytes. */
  readonly header: (bits: BitReader) => number;
  /** Decodes a block; gives the new checksum, `null` at the end of a stream. */
  readonly decompress: (
    bits: BitReader,
    write: (byte: number) => void,
    buffer: Int32Array,
    bufferSize: number,
    checksum: number | null,
  ) => number | null;
}

interface BitReader {
  readonly bytesRead: number;
}

/** Bytes of compressed data that a block needs at most, beside its size. */
const BLOCK_OVERHEAD_BYTES = 25_000;
const BLOCK_UNIT_BYTES = 100_000;

/** @throws Error the file is damaged, or ends too early */
export async function* bunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { default: bzip2 } = await import("unbzip2-stream/lib/bzip2.js") as { readonly default: Bzip2 };
  const { default: bitIterator } = await import("unbzip2-stream/lib/bit_iterator.js");
  // The first chunk is asked for at once.
  const queue: Uint8Array[] = [new Uint8Array()];
  const bits: BitReader = bitIterator(() => queue.shift() ?? endOfFile());
  const decoder = new BlockDecoder(bzip2, bits);
  let received = 0;
  for await (const chunk of chunks) {
    queue.push(chunk);
    received += chunk.length;
    while (received - bits.bytesRead >= decoder.neededBytes) yield* decoder.next();
  }
  while (received > bits.bytesRead) yield* decoder.next();
  if (decoder.isWithinStream || received === 0) endOfFile();
}

function endOfFile(): never {
  throw new Error("it ends too early");
}

/** Decodes what comes next: the head of a stream, or a block. A file may have several streams. */
class BlockDecoder {
  readonly #bzip2: Bzip2;
  readonly #bits: BitReader;
  #blockUnits = 0;
  #checksum: number | null = null;

  constructor(bzip2: Bzip2, bits: BitReader) {
    this.#bzip2 = bzip2;
    this.#bits = bits;
  }

  get isWithinStream(): boolean {
    return this.#blockUnits > 0;
  }

  /** Bytes with which the next part is whole. */
  get neededBytes(): number {
    return this.isWithinStream ? BLOCK_OVERHEAD_BYTES + BLOCK_UNIT_BYTES * this.#blockUnits : 4;
  }

  *next(): Generator<Uint8Array> {
    if (!this.isWithinStream) {
      this.#blockUnits = this.#bzip2.header(this.#bits);
      this.#checksum = 0;
      return;
    }
    const size = BLOCK_UNIT_BYTES * this.#blockUnits;
    const output = new GrowingBytes(size);
    const buffer = new Int32Array(size);
    const write = (byte: number) => output.add(byte);
    this.#checksum = this.#bzip2.decompress(this.#bits, write, buffer, size, this.#checksum);
    if (this.#checksum === null) this.#blockUnits = 0;
    else yield output.bytes;
  }
}

/** A block unpacks to at most 52 times its size: runs of 259 bytes are stored in 5. */
class GrowingBytes {
  #buffer: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity: number) {
    this.#buffer = new Uint8Array(capacity);
  }

  add(byte: number): void {
    if (this.#length === this.#buffer.length) {
      const larger = new Uint8Array(this.#buffer.length * 2);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    this.#buffer[this.#length++] = byte;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }
}
