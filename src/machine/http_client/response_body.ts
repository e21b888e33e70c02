/** The body of a response: decompressed, size-limited; its connection is always closed. */
import { pipeline, Readable, type Transform } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import { HttpError } from "../../model/ports/http.ts";
import type { ByteSource } from "./response_reader.ts";

interface ResponseBodyOptions {
  /** The `content-encoding`. */
  readonly encoding: string | undefined;
  readonly maxBytes: number | undefined;
  /** Prefix of error messages. */
  readonly where: () => string;
  readonly close: () => void;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** They unpack in pieces of 16 KiB, as far as the body is read. A gzip stream may have several members (RFC 1952), as in log files. */
const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
]);

/** A stream with back-pressure; fails with an HttpError. */
export function responseBody(source: ByteSource, options: ResponseBodyOptions): ReadableStream<Bytes> {
  const body = new ResponseBody(source, options);
  return new ReadableStream({
    pull: (controller) => body.pull(controller),
    cancel: () => body.end(),
  }, { highWaterMark: 0 });
}

/** The source of the stream. */
class ResponseBody {
  readonly #source: ByteSource;
  readonly #options: ResponseBodyOptions;
  #decompressed: AsyncIterator<Uint8Array> | undefined;
  #size = 0;

  constructor(source: ByteSource, options: ResponseBodyOptions) {
    this.#source = source;
    this.#options = options;
  }

  async pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    try {
      const bytes = await this.#next();
      this.#size += bytes?.length ?? 0;
      const { maxBytes = Infinity } = this.#options;
      if (this.#size > maxBytes) {
        await this.end();
        throw new HttpError(`the response is larger than ${maxBytes} bytes`);
      }
      if (bytes) return controller.enqueue(bytes as Bytes);
      this.#options.close();
      controller.close();
    } catch (error) {
      this.#options.close();
      // Other errors are those of the decompression.
      const reason = error instanceof HttpError ? error.message : "the response cannot be decompressed";
      throw new HttpError(`${this.#options.where()}: ${reason}`);
    }
  }

  async end(): Promise<void> {
    this.#options.close();
    await this.#decompressed?.return?.();
  }

  async #next(): Promise<Uint8Array | undefined> {
    const createUnpacker = UNPACKERS.get(this.#options.encoding?.trim().toLowerCase() ?? "");
    if (!createUnpacker) return await this.#source();
    if (!this.#decompressed) {
      // An empty body is not compressed.
      const first = await this.#source();
      if (!first) return undefined;
      const unpacker = createUnpacker();
      // Its iterator fails with the same error.
      pipeline(Readable.from(bytesOf(first, this.#source)), unpacker, () => {});
      this.#decompressed = unpacker[Symbol.asyncIterator]();
    }
    const { done, value } = await this.#decompressed.next();
    return done ? undefined : value;
  }
}

async function* bytesOf(first: Uint8Array, rest: ByteSource): AsyncGenerator<Uint8Array> {
  for (let bytes: Uint8Array | undefined = first; bytes; bytes = await rest()) yield bytes;
}
