/** Writes HTTP/1.1 requests (RFC 9112): the head and the body. */
import { joinBytes } from "../../base/bytes.ts";
import { HttpError, type NamedText } from "../../model/ports/http.ts";

/** Smaller writes are collected, so that a head and a small body are one write. */
const MAX_COLLECTED_BYTES = 16 * 1024;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const END_OF_CHUNKS = "0\r\n\r\n";

const encoder = new TextEncoder();
const utf8 = (text: string) => encoder.encode(text);

interface ByteSink {
  /** Resolves when the bytes may be overwritten. */
  write(bytes: Uint8Array): Promise<void>;
}

interface RequestWriterOptions {
  /** The bytes of the head; by default UTF-8. */
  readonly encodeHead?: (text: string) => Uint8Array;
  /** False sends each part at once, for bodies whose parts come slowly; true by default. */
  readonly collects?: boolean;
}

/** Writes one request; {@link RequestWriter.flush} sends the collected rest. */
export class RequestWriter {
  readonly #sink: ByteSink;
  readonly #encodeHead: (text: string) => Uint8Array;
  readonly #maxCollectedBytes: number;
  #collected: Uint8Array[] = [];
  #collectedBytes = 0;

  constructor(sink: ByteSink, { encodeHead = utf8, collects = true }: RequestWriterOptions = {}) {
    this.#sink = sink;
    this.#encodeHead = encodeHead;
    this.#maxCollectedBytes = collects ? MAX_COLLECTED_BYTES : 0;
  }

  /** Writes the head. @throws HttpError an invalid method or header */
  async head(
    { method, target }: { readonly method: string; readonly target: string },
    headers: readonly NamedText[],
  ): Promise<void> {
    if (!TOKEN.test(method)) throw new HttpError(`"${method}" is not a method`);
    let text = `${method} ${target} HTTP/1.1\r\n`;
    for (const [name, value] of headers) {
      if (!TOKEN.test(name)) throw new HttpError(`"${name}" is not the name of a header`);
      // deno-lint-ignore no-control-regex
      if (/[\u0000\r\n]/.test(value)) throw new HttpError(`header "${name}" has a line break in its value`);
      text += `${name}: ${value}\r\n`;
    }
    await this.#put(this.#encodeHead(`${text}\r\n`));
  }

  /** Writes a body of that size, or in chunks if the size is unknown. @throws HttpError it has another size */
  async body(content: AsyncIterable<Uint8Array>, size: number | undefined): Promise<void> {
    let sent = 0;
    for await (const bytes of content) {
      if (bytes.length === 0) continue;
      sent += bytes.length;
      if (size === undefined) await this.#put(encoder.encode(`${bytes.length.toString(16)}\r\n`));
      else if (sent > size) break;
      await this.#put(bytes);
      if (size === undefined) await this.#put(encoder.encode("\r\n"));
    }
    if (size === undefined) await this.#put(encoder.encode(END_OF_CHUNKS));
    else if (sent !== size) throw new HttpError("the size of the body has changed while it was sent");
  }

  /** Sends the collected rest. */
  async flush(): Promise<void> {
    if (this.#collected.length === 0) return;
    const bytes = joinBytes(this.#collected);
    this.#collected = [];
    this.#collectedBytes = 0;
    await this.#sink.write(bytes);
  }

  async #put(bytes: Uint8Array): Promise<void> {
    if (this.#collectedBytes + bytes.length > this.#maxCollectedBytes) await this.flush();
    if (bytes.length > this.#maxCollectedBytes) return await this.#sink.write(bytes);
    this.#collected.push(new Uint8Array(bytes));
    this.#collectedBytes += bytes.length;
  }
}
