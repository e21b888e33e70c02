/** Reads the chunks of a request body; a client that breaks off or stalls is refused. */
import { DomainError } from "../../model/errors.ts";
import { type TransferWatch, watchTransfer } from "../../model/http/transfer_watch.ts";

/** Time in which a client must send something worth mentioning. */
const MAX_WAIT_SECONDS = 30;

/**
 * Bytes of the buffers that wait for a chunk: the first ones are small, since thousands of slow clients may have one, and a
 * body that fills its buffer gets a larger one.
 */
const MIN_BUFFER_BYTES = 4 * 1024;
const MAX_BUFFER_BYTES = 64 * 1024;

/** Reads a body once. */
export class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | ReadableStreamBYOBReader;
  #bufferBytes = MIN_BUFFER_BYTES;
  readonly #watch: TransferWatch | undefined;
  #isStalled = false;
  #isOver = false;

  constructor(request: Request, body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = readerOf(body);
    this.#watch = watchTransfer(request, MAX_WAIT_SECONDS, () => this.#stall());
  }

  /** The next chunk; `undefined` at the end. @throws DomainError bad_request: the body broke off; request_timeout: it stalled */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    this.#watch?.wait();
    try {
      const { done, value } = await this.#readChunk();
      if (done) this.#isOver = true;
      this.#watch?.moved(value?.length ?? 0);
      if (!this.#isStalled) return value;
    } catch (cause) {
      this.#isOver = true;
      throw new DomainError("bad_request", "Bad Request: the body broke off", { cause });
    }
    throw new DomainError("request_timeout", "Request Timeout: the body arrives too slowly");
  }

  async #readChunk(): Promise<{ readonly done: boolean; readonly value?: Uint8Array<ArrayBuffer> }> {
    if (this.#reader instanceof ReadableStreamDefaultReader) return await this.#reader.read();
    const { done, value } = await this.#reader.read(new Uint8Array(this.#bufferBytes));
    if (value?.length === this.#bufferBytes) this.#bufferBytes = Math.min(2 * value.length, MAX_BUFFER_BYTES);
    return { done, value: done ? undefined : value };
  }

  /** Releases the body; unread bytes are dropped. */
  async close(): Promise<void> {
    this.#watch?.end();
    if (!this.#isOver) await this.#reader.cancel().catch(() => undefined);
    this.#reader.releaseLock();
  }

  /** The end of the stream ends a read that waits. */
  #stall(): void {
    this.#isStalled = true;
    this.#reader.cancel().catch(() => undefined);
  }
}

/** A reader into buffers of the caller, where the stream supports that: bodies that came over a connection do. */
function readerOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  try {
    return body.getReader({ mode: "byob" });
  } catch (error) {
    if (!(error instanceof TypeError) || body.locked) throw error;
    return body.getReader();
  }
}

/** The chunks of the body of a request, which has one. @throws DomainError as {@link BodyReader.read} */
export async function* readChunks(
  request: Request,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = new BodyReader(request, body);
  try {
    for (let chunk = await reader.read(); chunk; chunk = await reader.read()) yield chunk;
  } finally {
    await reader.close();
  }
}
