/** Writes archives in the format ustar, with the extension of GNU for sizes above 8 GB. */

/** An open file to write into an archive; it is closed with it. */
export interface TarFile {
  readonly name: string;
  readonly bytes: number;
  readonly file: Deno.FsFile;
}

const BLOCK_BYTES = 512;
const CHUNK_BYTES = 256 * 1024;
/** Largest number of 11 octal digits. */
const MAX_OCTAL = 8 ** 11 - 1;

/** Bytes of the archive of files of these sizes. */
export function tarBytes(sizes: readonly number[]): number {
  const blocks = sizes.reduce((sum, bytes) => sum + 1 + Math.ceil(bytes / BLOCK_BYTES), 2);
  return blocks * BLOCK_BYTES;
}

/** The archive, read from the files while it is read. Files that are shorter than they should be fail it. */
export function tarStream(
  files: readonly TarFile[],
  modifiedAtMs: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = tarChunks(files, modifiedAtMs);
  const close = () => files.forEach(({ file }) => file.close());
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next().catch((error: Error) => {
        close();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      close();
      controller.close();
    },
    async cancel() {
      await chunks.return(undefined);
      close();
    },
  }, { highWaterMark: 0 });
}

async function* tarChunks(
  files: readonly TarFile[],
  modifiedAtMs: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (const { name, bytes, file } of files) {
    yield header(name, bytes, modifiedAtMs);
    for (let left = bytes; left > 0;) {
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, left));
      const count = await file.read(chunk);
      if (count === null) throw new Error(`Cannot read "${name}": it has become shorter`);
      left -= count;
      yield chunk.subarray(0, count);
    }
    const rest = bytes % BLOCK_BYTES;
    if (rest > 0) yield new Uint8Array(BLOCK_BYTES - rest);
  }
  yield new Uint8Array(2 * BLOCK_BYTES);
}

/** Of a file that only its owner may read. */
function header(name: string, bytes: number, modifiedAtMs: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  const write = (at: number, text: string) => block.set(new TextEncoder().encode(text), at);
  write(0, name);
  write(100, "0000600\0");
  write(108, "0000000\0");
  write(116, "0000000\0");
  writeSize(block, bytes);
  write(136, `${octal(Math.floor(modifiedAtMs / 1000), 11)}\0`);
  write(148, " ".repeat(8));
  write(156, "0");
  write(257, "ustar\x0000");
  const sum = block.reduce((total, byte) => total + byte, 0);
  write(148, `${octal(sum, 6)}\0 `);
  return block;
}

function writeSize(block: Uint8Array, bytes: number): void {
  if (bytes <= MAX_OCTAL) return block.set(new TextEncoder().encode(`${octal(bytes, 11)}\0`), 124);
  block[124] = 0x80;
  new DataView(block.buffer).setBigUint64(128, BigInt(bytes));
}

function octal(number: number, digits: number): string {
  return number.toString(8).padStart(digits, "0");
}
