/** Reads a request body up to delimiters; holds at most one chunk of it. */
import { joinBytes } from "../../base/bytes.ts";
import type { DomainError } from "../../model/errors.ts";
import { bodyTooLarge } from "./body.ts";
import type { BodyReader } from "./body_reader.ts";
import { invalidArgument } from "../refusals.ts";

/** Reads a body once; each call continues where the last one ended. */
export class DelimitedReader {
  readonly #reader: BodyReader;
  readonly #maxBytes: number;
  #buffer: Uint8Array;
  #received = 0;
  #isEnded = false;

  /** `prefix` is read before the body and not counted. */
  constructor(reader: BodyReader, maxBytes: number, prefix = new Uint8Array()) {
    this.#reader = reader;
    this.#maxBytes = maxBytes;
    this.#buffer = prefix;
  }

  /** Bytes of the body that have been received. */
  get received(): number {
    return this.#received;
  }

  /**
   * The bytes before the delimiter as they arrive, then consumes the delimiter. The caller may stop early: the next call
   * continues with the rest.
   * @throws DomainError invalid_argument: the body ends before the delimiter; too_large; bad_request;
   * request_timeout
   */
  async *readUntil(delimiter: Uint8Array): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = indexOf(this.#buffer, delimiter);
      // The last bytes may be the beginning of a delimiter.
      const end = at >= 0 ? at : Math.max(0, this.#buffer.length - delimiter.length + 1);
      const bytes = this.#buffer.subarray(0, end);
      this.#buffer = this.#buffer.subarray(at >= 0 ? at + delimiter.length : end);
      if (at >= 0) {
        if (bytes.length > 0) yield bytes;
        return;
      }
      if (bytes.length > 0) yield bytes;
      if (!await this.#fill()) throw malformed("it ends within a part");
    }
  }

  /** The bytes before the delimiter, at most `maxBytes`. @throws DomainError as {@link readUntil}; invalid_argument: `what` is longer */
  async readTo(delimiter: Uint8Array, maxBytes: number, what: string): Promise<Uint8Array> {
    for (;;) {
      const at = indexOf(this.#buffer, delimiter);
      const length = at >= 0 ? at : this.#buffer.length - delimiter.length;
      if (length > maxBytes) throw malformed(`${what} is longer than ${maxBytes} bytes`);
      if (at >= 0) {
        const bytes = this.#buffer.subarray(0, at);
        this.#buffer = this.#buffer.subarray(at + delimiter.length);
        return bytes;
      }
      if (!await this.#fill()) throw malformed(`it ends within ${what}`);
    }
  }

  /** Consumes `bytes` if they come next; false otherwise. */
  async accept(bytes: Uint8Array): Promise<boolean> {
    while (this.#buffer.length < bytes.length) if (!await this.#fill()) return false;
    if (!bytes.every((byte, index) => byte === this.#buffer[index])) return false;
    this.#buffer = this.#buffer.subarray(bytes.length);
    return true;
  }

  /** True for a body without bytes; the prefix does not count. */
  async isEmpty(): Promise<boolean> {
    while (this.#received === 0) if (!await this.#fill()) return true;
    return false;
  }

  /** Releases the body; unread bytes are dropped. */
  async close(): Promise<void> {
    await this.#reader.close();
  }

  /** Adds the next chunk; false at the end. */
  async #fill(): Promise<boolean> {
    if (this.#isEnded) return false;
    const chunk = await this.#reader.read();
    if (!chunk) {
      this.#isEnded = true;
      return false;
    }
    this.#received += chunk.length;
    if (this.#received > this.#maxBytes) {
      throw bodyTooLarge(this.#maxBytes);
    }
    this.#buffer = joinBytes([this.#buffer, chunk]);
    return true;
  }
}

/** The body is not a valid multipart body. */
export function malformed(reason: string): DomainError {
  return invalidArgument(`the multipart body is malformed: ${reason}`);
}

function indexOf(bytes: Uint8Array, pattern: Uint8Array): number {
  const first = pattern[0] as number;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (at + pattern.length > bytes.length) return -1;
    let matched = 1;
    while (matched < pattern.length && bytes[at + matched] === pattern[matched]) matched++;
    if (matched === pattern.length) return at;
  }
  return -1;
}
