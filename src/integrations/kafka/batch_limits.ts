/** Limits of batches of messages. The package has none: 70 KB of any producer may stand for 70 MB, which are in memory. */
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
/** The package passes the messages of a batch as arguments, of which some 125,000 are possible. */
const MAX_BATCH_MESSAGES = 100_000;
const MAX_MESSAGE_HEADERS = 1_000;
/** The messages of all batches of a response are in memory together. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;
const MAX_RESPONSE_MESSAGES = 1_000_000;
const MAX_RESPONSE_HEADERS = 2_000_000;

/** What has been read of a response. */
interface Taken {
  /** Of compressed batches. */
  bytes: number;
  messages: number;
  headers: number;
  /** Messages before the partition, and before the batch, that is read. */
  beforePartition: number;
  beforeBatch: number;
}

const NOTHING: Readonly<Taken> = { bytes: 0, messages: 0, headers: 0, beforePartition: 0, beforeBatch: 0 };

const INCOMPLETE = "KafkaJSPartialMessageError";

const takenOf = new AsyncLocalStorage<Taken>();

/** Counts what the requests of `work` read, which decode their responses themselves. */
export class ResponseLimit {
  readonly #taken: Taken = { ...NOTHING };

  /** To be called before each request. */
  readonly begin = (): void => {
    Object.assign(this.#taken, NOTHING);
  };

  /** Starts the requests. */
  run<T>(work: () => T): T {
    return takenOf.run(this.#taken, work);
  }
}

/** With limits. */
export const LIMITED_GZIP: CompressionCodec = {
  compress: async ({ buffer }) => await promisify(gzip)(buffer),
  async decompress(bytes) {
    const batch = await unpackedBatch(bytes);
    count("bytes", batch.length, MAX_RESPONSE_BYTES);
    return batch;
  },
};

/** To be called before a partition is read. */
export function beginPartition(): void {
  const taken = takenOf.getStore();
  if (taken) taken.beforePartition = taken.messages;
}

/** To be called before a batch is read. */
export function beginBatch(): void {
  const taken = takenOf.getStore();
  if (taken) taken.beforeBatch = taken.messages;
}

/**
 * The error of a batch that cannot be read. Batches of the partition before it are taken first: it fails when it is the first one
 * of a response.
 */
export function batchFailure(error: unknown, failure: (error: unknown) => Error): unknown {
  const taken = takenOf.getStore();
  if (isIncomplete(error)) return error;
  return taken && taken.beforeBatch > taken.beforePartition ? incomplete() : failure(error);
}

/** Counts messages of a batch before they are read. @throws Error they are too many */
export function countMessages(messages: number): void {
  if (messages > MAX_BATCH_MESSAGES) throw tooLarge("a batch of messages", MAX_BATCH_MESSAGES, "messages");
  count("messages", messages, MAX_RESPONSE_MESSAGES);
}

/** Counts headers of a message before they are read. @throws Error they are too many */
export function countHeaders(headers: number): void {
  if (headers > MAX_MESSAGE_HEADERS) throw tooLarge("a message", MAX_MESSAGE_HEADERS, "headers");
  count("headers", headers, MAX_RESPONSE_HEADERS);
}

/** Batches with which a response would have too much are read with the next one. */
function count(name: "bytes" | "messages" | "headers", added: number, max: number): void {
  const taken = takenOf.getStore();
  if (!taken) return;
  const total = taken[name] + Math.max(added, 0);
  if (total > max) throw taken.beforeBatch > 0 ? incomplete() : tooLarge("a batch of messages", max, name);
  taken[name] = total;
}

/** The package ends the messages of the partition before such a batch, and asks for it again. */
function incomplete(): Error {
  return Object.assign(new Error("The response has more batches"), { name: INCOMPLETE });
}

function isIncomplete(error: unknown): boolean {
  return (error as Error).name === INCOMPLETE;
}

async function unpackedBatch(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await promisify<Uint8Array, object, Uint8Array>(unzip)(bytes, {
      maxOutputLength: MAX_BATCH_BYTES,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw error;
    throw tooLarge("a batch of messages", MAX_BATCH_BYTES, "bytes");
  }
}

function tooLarge(what: string, max: number, unit: string): Error {
  const form = unit === "bytes" ? " without compression" : "";
  return new Error(`Cannot read ${what}: it has more than ${max} ${unit}${form}`);
}
