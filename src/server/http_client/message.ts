/** HTTP/1.1 on a connection (RFC 9112): the head of a request, the head of an answer, bodies in both directions. */
import { HttpError, type NamedText } from "../../model/ports/http.ts";
import type { Connection } from "./connection.ts";

/** Bytes of all headers of an answer. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Answers before the answer (100, 103) that are read over. */
const MAX_INTERIM_ANSWERS = 10;
/** A line that gives the size of a chunk. */
const MAX_SIZE_LINE_BYTES = 1_024;

const encoder = new TextEncoder();
const latin1 = new TextDecoder("latin1");

/** The head of an answer. */
export interface AnswerHead {
  readonly code: number;
  /** In the order sent. */
  readonly headers: readonly NamedText[];
}

/** Writes the head of a request. @throws HttpError: a header that would break it */
export async function writeHead(
  connection: Connection,
  line: { readonly method: string; readonly target: string },
  headers: readonly NamedText[],
): Promise<void> {
  if (!TOKEN.test(line.method)) throw new HttpError(`"${line.method}" is not a method`);
  const lines = headers.map(([name, value]) => {
    if (!TOKEN.test(name)) throw new HttpError(`"${name}" is not the name of a header`);
    // deno-lint-ignore no-control-regex
    if (/[\u0000\r\n]/.test(value)) throw new HttpError(`header "${name}" has a line break in its value`);
    return `${name}: ${value}\r\n`;
  });
  await connection.write(
    encoder.encode(`${line.method} ${line.target} HTTP/1.1\r\n${lines.join("")}\r\n`),
  );
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Writes a body of that size, or in chunks when the size is not known. @throws HttpError: it has another size */
export async function writeBody(
  connection: Connection,
  content: AsyncIterable<Uint8Array>,
  size: number | undefined,
): Promise<void> {
  let sent = 0;
  for await (const bytes of content) {
    if (bytes.length === 0) continue;
    sent += bytes.length;
    if (size === undefined) await connection.write(encoder.encode(`${bytes.length.toString(16)}\r\n`));
    else if (sent > size) break;
    await connection.write(bytes);
    if (size === undefined) await connection.write(encoder.encode("\r\n"));
  }
  if (size === undefined) await connection.write(encoder.encode("0\r\n\r\n"));
  else if (sent !== size) throw new HttpError("the size of the body has changed while it was sent");
}

/** Reads an answer. */
export class AnswerReader {
  readonly #connection: Connection;
  #buffer: Uint8Array = new Uint8Array();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The head of the answer; those of interim answers are read over. @throws HttpError */
  async head(): Promise<AnswerHead> {
    for (let count = 0; count < MAX_INTERIM_ANSWERS; count++) {
      const head = parseHead(await this.#headText());
      if (head.code >= 200 || head.code === 101) return head;
    }
    throw new HttpError("the server sends interim answers only");
  }

  /** The body of an answer, as it arrives. @throws HttpError: it breaks off */
  async *body({ code, headers }: AnswerHead, method: string): AsyncGenerator<Uint8Array> {
    if (method === "HEAD" || code === 204 || code === 304) return;
    const of = (name: string) =>
      headers.filter(([key]) => key.toLowerCase() === name).map(([, text]) => text);
    if (/\bchunked\s*$/i.test(of("transfer-encoding").join(","))) return yield* this.#chunked();
    const [length, ...others] = new Set(of("content-length"));
    if (length === undefined) return yield* this.#untilClosed();
    if (others.length > 0 || !/^\d{1,15}$/.test(length)) {
      throw new HttpError("the answer says more than one length");
    }
    yield* this.#exactly(Number(length));
  }

  async *#chunked(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const text = await this.#line(MAX_SIZE_LINE_BYTES);
      const size = /^([0-9a-f]{1,12})\s*(?:;.*)?$/i.exec(text)?.[1];
      if (size === undefined) throw new HttpError("the answer has a chunk without a size");
      if (/^0+$/.test(size)) break;
      yield* this.#exactly(parseInt(size, 16));
      if (await this.#line(MAX_SIZE_LINE_BYTES) !== "") throw new HttpError("a chunk is longer than it says");
    }
    while (await this.#line(MAX_HEAD_BYTES) !== ""); // Trailers say nothing that is kept.
  }

  async *#exactly(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0;) {
      if (this.#buffer.length === 0 && !await this.#fill()) throw brokenOff();
      const bytes = this.#buffer.subarray(0, left);
      this.#buffer = this.#buffer.subarray(bytes.length);
      left -= bytes.length;
      yield bytes;
    }
  }

  async *#untilClosed(): AsyncGenerator<Uint8Array> {
    do {
      const bytes = this.#buffer;
      this.#buffer = new Uint8Array();
      if (bytes.length > 0) yield bytes;
    } while (await this.#fill());
  }

  async #headText(): Promise<string> {
    const lines: string[] = [];
    let room = MAX_HEAD_BYTES;
    for (;;) {
      const line = await this.#line(room);
      room -= line.length + 2;
      if (line === "" && lines.length > 0) return lines.join("\n");
      if (line !== "") lines.push(line);
    }
  }

  async #line(maxBytes: number): Promise<string> {
    for (let from = 0;;) {
      const end = this.#buffer.indexOf(10, from);
      if (Math.max(end, from) > maxBytes) throw new HttpError("the headers of the answer are too large");
      if (end >= 0) {
        const line = latin1.decode(this.#buffer.subarray(0, end));
        this.#buffer = this.#buffer.subarray(end + 1);
        return line.replace(/\r$/, "");
      }
      from = this.#buffer.length;
      if (!await this.#fill()) {
        throw from === 0 ? new HttpError("the server closed the connection without an answer") : brokenOff();
      }
    }
  }

  async #fill(): Promise<boolean> {
    const bytes = await this.#connection.read();
    if (!bytes) return false;
    if (this.#buffer.length === 0) this.#buffer = bytes;
    else {
      const joined = new Uint8Array(this.#buffer.length + bytes.length);
      joined.set(this.#buffer);
      joined.set(bytes, this.#buffer.length);
      this.#buffer = joined;
    }
    return true;
  }
}

function brokenOff(): HttpError {
  return new HttpError("the answer breaks off");
}

function parseHead(text: string): AnswerHead {
  const [status = "", ...lines] = text.split("\n");
  const code = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(status)?.[1];
  if (code === undefined) throw new HttpError("the server does not speak HTTP/1.1");
  const headers: [string, string][] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last) last[1] += ` ${line.trim()}`;
    else if (colon > 0) headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
    else throw new HttpError("the answer has a header without a name");
  }
  return { code: Number(code), headers };
}
