/** The body of a request on its way to the leader, kept as it is sent, so that it can be sent again. */
import type { CarriedBody } from "./carrier.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Of a larger body nothing is kept once more than this was read. */
const MAX_KEPT_BYTES = 1_048_576;

/** Reads a body once, as fast as it is sent, and gives it again from its beginning. */
export class KeptBody implements CarriedBody {
  readonly size: number | undefined;
  readonly #reader: ReadableStreamDefaultReader<Bytes>;
  readonly #maxBytes: number;
  #parts: Bytes[] = [];
  #bytes = 0;
  #isWhole = true;
  /** The read that is under way: a stream that was given up may have begun it. */
  #reading: Promise<Bytes | undefined> | undefined;

  /** `size`: its size, if the client has stated it. */
  constructor(body: ReadableStream<Bytes>, size: number | undefined) {
    this.size = size;
    this.#reader = body.getReader();
    this.#maxBytes = (size ?? 0) > MAX_KEPT_BYTES ? 0 : MAX_KEPT_BYTES;
  }

  /** @inheritdoc */
  get canOpen(): boolean {
    return this.#isWhole;
  }

  /** @inheritdoc */
  open(): ReadableStream<Bytes> {
    let next = 0;
    return new ReadableStream({
      pull: async (controller) => {
        const part = this.#parts[next++] ?? await (this.#reading ??= this.#read());
        if (part) controller.enqueue(part);
        else controller.close();
      },
    }, { highWaterMark: 0 });
  }

  /** @inheritdoc */
  discard(): void {
    this.#reader.cancel().catch(() => undefined);
  }

  async #read(): Promise<Bytes | undefined> {
    try {
      const { value } = await this.#reader.read();
      if (value) this.#keep(value);
      return value;
    } finally {
      this.#reading = undefined;
    }
  }

  #keep(part: Bytes): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) {
      this.#isWhole = false;
      this.#parts = [];
    } else this.#parts.push(part);
  }
}
