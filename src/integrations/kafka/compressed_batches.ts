/** Compressed batches of messages. Those of the package have no limits: 70 KB of any producer may stand for 70 MB, which are in memory. */
import { AsyncLocalStorage } from "node:async_hooks";
import { promisify } from "node:util";
import { gzip, unzip } from "node:zlib";

/** How batches are compressed. */
export interface CompressionCodec {
  /** Compresses the messages of a batch. */
  compress(encoder: { readonly buffer: Uint8Array }): Promise<Uint8Array>;
  /** The messages of a batch. @throws Error they are too large */
  decompress(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Without compression. */
const MAX_BATCH_BYTES = 64 * 1024 * 1024;
/** They are decoded in one turn, which takes half a second. */
const MAX_BATCH_MESSAGES = 200_000;
/** The messages of all batches of a response are in memory together. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;
const MAX_RESPONSE_MESSAGES = 1_000_000;

/** What has been unpacked of a response. */
interface Unpacked {
  bytes: number;
  messages: number;
}

const unpackedOf = new AsyncLocalStorage<Unpacked>();

/** Counts what the requests of `work` unpack, which decode their responses themselves. */
export class ResponseLimit {
  readonly #unpacked: Unpacked = { bytes: 0, messages: 0 };

  /** To be called before each request. */
  readonly begin = (): void => {
    this.#unpacked.bytes = this.#unpacked.messages = 0;
  };

  /** Starts the requests. */
  run<T>(work: () => T): T {
    return unpackedOf.run(this.#unpacked, work);
  }
}

/** With limits. */
export const LIMITED_GZIP: CompressionCodec = {
  compress: async ({ buffer }) => await promisify(gzip)(buffer),
  async decompress(bytes) {
    const batch = await unpackedBatch(bytes), messages = countMessages(batch);
    if (messages > MAX_BATCH_MESSAGES) throw tooLarge("a batch", MAX_BATCH_MESSAGES, "messages");
    const unpacked = unpackedOf.getStore();
    if (!unpacked) return batch;
    unpacked.bytes += batch.length;
    unpacked.messages += messages;
    if (unpacked.bytes > MAX_RESPONSE_BYTES) throw tooLarge("a response", MAX_RESPONSE_BYTES, "bytes");
    if (unpacked.messages > MAX_RESPONSE_MESSAGES) {
      throw tooLarge("a response", MAX_RESPONSE_MESSAGES, "messages");
    }
    return batch;
  },
};

async function unpackedBatch(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await promisify<Uint8Array, object, Uint8Array>(unzip)(bytes, {
      maxOutputLength: MAX_BATCH_BYTES,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw error;
    throw tooLarge("a batch", MAX_BATCH_BYTES, "bytes");
  }
}

/** Each begins with its length, a variable integer in zigzag form. */
function countMessages(batch: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < batch.length; count++) {
    let length = 0, shift = 0, byte = 0x80;
    for (; byte & 0x80 && at < batch.length && shift < 35; shift += 7) {
      byte = batch[at++] ?? 0;
      length += (byte & 0x7f) * 2 ** shift;
    }
    at += Math.floor(length / 2);
  }
  return count;
}

function tooLarge(what: string, max: number, unit: string): Error {
  return new Error(`Cannot read ${what} of messages: it has more than ${max} ${unit} without compression`);
}
