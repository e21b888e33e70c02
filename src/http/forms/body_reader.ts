/** Reads the chunks of a request body; a client that breaks off or stalls is refused. */
import { DomainError } from "../../model/errors.ts";
import { type TransferWatch, watchTransfer } from "../../model/http/transfer_watch.ts";

/** Time in which a client must send something worth mentioning. */
const MAX_WAIT_SECONDS = 30;

/** Reads a body once. */
export class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  readonly #watch: TransferWatch | undefined;
  #isStalled = false;
  #isOver = false;

  constructor(request: Request, body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = body.getReader();
    this.#watch = watchTransfer(request, MAX_WAIT_SECONDS, () => this.#stall());
  }

  /** The next chunk; `undefined` at the end. @throws DomainError bad_request: the body broke off; request_timeout: it stalled */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    this.#watch?.wait();
    try {
      const { done, value } = await this.#reader.read();
      if (done) this.#isOver = true;
      this.#watch?.moved(value?.length ?? 0);
      if (!this.#isStalled) return value;
    } catch (cause) {
      this.#isOver = true;
      throw new DomainError("bad_request", "Bad Request: the body broke off", { cause });
    }
    throw new DomainError("request_timeout", "Request Timeout: the body arrives too slowly");
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
