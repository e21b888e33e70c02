/** One half of HTTP/1.1 (RFC 9112): the head of a request and its body. */
import { joinBytes } from "../../base/bytes.ts";
import { HttpError, type NamedText } from "../../model/ports/http.ts";

/** What is smaller is collected, so that a head and a small body leave in one piece. */
const MAX_COLLECTED_BYTES = 16 * 1024;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const END_OF_CHUNKS = "0\r\n\r\n";

const encoder = new TextEncoder();

/** Where a request goes. */
interface ByteSink {
  /** Resolves when there is room for more. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Writes a request. What it has collected leaves with {@link RequestWriter.flush}. */
export class RequestWriter {
  readonly #sink: ByteSink;
  #collected: Uint8Array[] = [];
  #collectedBytes = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Writes the head. @throws HttpError: a header that would break it */
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
    await this.#put(encoder.encode(`${text}\r\n`));
  }

  /** Writes a body of that size, or in chunks when the size is not known. @throws HttpError: it has another size */
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

  /** Sends what is left. */
  async flush(): Promise<void> {
    if (this.#collected.length === 0) return;
    const bytes = joinBytes(this.#collected);
    this.#collected = [];
    this.#collectedBytes = 0;
    await this.#sink.write(bytes);
  }

  async #put(bytes: Uint8Array): Promise<void> {
    if (this.#collectedBytes + bytes.length > MAX_COLLECTED_BYTES) await this.flush();
    if (bytes.length > MAX_COLLECTED_BYTES) return await this.#sink.write(bytes);
    this.#collected.push(bytes);
    this.#collectedBytes += bytes.length;
  }
}
