/** Reads HTTP/1.1 responses (RFC 9112): the head, and the body as a stream. */
import { ByteCollector, joinBytes } from "../../base/bytes.ts";
import { HttpError, type NamedText } from "../../model/ports/http.ts";

/** Limit of the head. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Interim responses (100, 103) that are skipped. */
const MAX_INTERIM_RESPONSES = 10;
/** Bytes of the end of a head that may already be in the buffer. */
const END_OF_HEAD_BYTES = 3;
const CR = 13;
const LF = 10;
/** Chunks that have arrived are joined up to this size. */
const JOINED_BYTES = 16 * 1024;
/** Limit of the size line of a chunk. */
const MAX_SIZE_LINE_BYTES = 1_024;

const latin1 = new TextDecoder("latin1");
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The head of a response. */
export interface ResponseHead {
  readonly code: number;
  /** In the order sent. */
  readonly headers: readonly NamedText[];
  /** Whether the server lets the connection open after the response. */
  readonly keepsOpen: boolean;
}

/** Returns the next bytes; `undefined` at the end, after which it is not called again. @throws HttpError */
export type ByteSource = () => Promise<Uint8Array | undefined>;

/** What a response is read from. */
interface ByteReader {
  /** The next bytes; `undefined` once the other side has closed. @throws HttpError */
  read(): Promise<Uint8Array | undefined>;
}

/** Reads one response. */
export class ResponseReader {
  readonly #connection: ByteReader;
  readonly #decodeHead: (bytes: Uint8Array) => string;
  #buffer: Uint8Array = new Uint8Array();

  /** `decodeHead` gives the text of the head; by default it is UTF-8, or ISO-8859-1 where it is no UTF-8. */
  constructor(connection: ByteReader, decodeHead = headTextOf) {
    this.#connection = connection;
    this.#decodeHead = decodeHead;
  }

  /** The head; interim responses are skipped. @throws HttpError */
  async head(): Promise<ResponseHead> {
    for (let count = 0; count < MAX_INTERIM_RESPONSES; count++) {
      const head = parseHead(await this.#headText());
      if (head.code >= 200 || head.code === 101) return head;
    }
    throw new HttpError("the server sends interim responses only");
  }

  /** Whether no byte has arrived that does not belong to what was read. */
  get isEmpty(): boolean {
    return this.#buffer.length === 0;
  }

  /** The body if all of it has arrived together with the head, and its length was stated; otherwise it is still to be read. */
  arrivedBody(head: ResponseHead, method: string): Uint8Array | undefined {
    const [length = "", ...others] = valuesOf(head, "content-length");
    const isPlain = others.length === 0 && /^\d{1,15}$/.test(length) && !isChunked(head);
    if (!isPlain || hasNoBody(head, method) || Number(length) > this.#buffer.length) return undefined;
    return this.#take(Number(length));
  }

  /** The body as it arrives; fails when it is incomplete. */
  body(head: ResponseHead, method: string): ByteSource {
    if (hasNoBody(head, method)) return () => Promise.resolve(undefined);
    if (isChunked(head)) return this.#chunked();
    const [length, ...others] = new Set(valuesOf(head, "content-length"));
    if (length === undefined) return () => this.#untilClosed();
    if (others.length > 0 || !/^\d{1,15}$/.test(length)) {
      return () => Promise.reject(new HttpError("the response has contradicting lengths"));
    }
    return this.#exactly(Number(length));
  }

  #chunked(): ByteSource {
    let left = 0;
    let isFirst = true;
    let isOver = false;
    const some = async () => {
      if (left === 0) left = await this.#nextChunk(isFirst);
      isFirst = false;
      isOver = left === 0;
      const bytes = isOver ? undefined : await this.#some(left);
      left -= bytes?.length ?? 0;
      return bytes;
    };
    return async () => {
      if (isOver) return undefined;
      const first = await some();
      if (!first || first.length >= JOINED_BYTES || !this.#hasMore(left)) return first;
      const joined = new ByteCollector();
      joined.add(first);
      while (joined.size < JOINED_BYTES && this.#hasMore(left)) {
        const bytes = await some();
        if (!bytes) break;
        joined.add(bytes);
      }
      return joined.take();
    };
  }

  /** Whether bytes of the chunk, of which some are left, or of the next one have arrived. */
  #hasMore(left: number): boolean {
    if (left > 0) return this.#buffer.length > 0;
    const end = this.#buffer[0] === LF ? 0 : 1;
    const endOfSize = this.#buffer[end] === LF ? this.#buffer.indexOf(LF, end + 1) : -1;
    return endOfSize >= 0 && endOfSize + 1 < this.#buffer.length;
  }

  /** The size of the next chunk; 0 after the end of the body, with its trailers. */
  async #nextChunk(isFirst: boolean): Promise<number> {
    if (!isFirst && await this.#line(MAX_SIZE_LINE_BYTES) !== "") {
      throw new HttpError("a chunk is longer than its size");
    }
    const text = await this.#line(MAX_SIZE_LINE_BYTES);
    const size = /^([0-9a-f]{1,12})\s*(?:;.*)?$/i.exec(text)?.[1];
    if (size === undefined) throw new HttpError("the response has a chunk without a size");
    const bytes = parseInt(size, 16);
    // Trailers are ignored.
    if (bytes === 0) { while (await this.#line(MAX_HEAD_BYTES) !== ""); }
    return bytes;
  }

  #exactly(size: number): ByteSource {
    let left = size;
    return async () => {
      if (left === 0) return undefined;
      const bytes = await this.#some(left);
      left -= bytes.length;
      return bytes;
    };
  }

  async #untilClosed(): Promise<Uint8Array | undefined> {
    if (this.#buffer.length === 0 && !await this.#fill()) return undefined;
    return this.#take(this.#buffer.length);
  }

  /** At least one byte, at most `maxBytes`. */
  async #some(maxBytes: number): Promise<Uint8Array> {
    if (this.#buffer.length === 0 && !await this.#fill()) throw brokenOff();
    return this.#take(maxBytes);
  }

  #take(maxBytes: number): Uint8Array {
    const bytes = this.#buffer.subarray(0, maxBytes);
    this.#buffer = this.#buffer.subarray(bytes.length);
    return bytes;
  }

  /** The lines of a head, without the final empty line. */
  async #headText(): Promise<string> {
    for (let from = 0;;) {
      while (this.#buffer[0] === CR || this.#buffer[0] === LF) this.#take(1);
      const end = endOfHead(this.#buffer, from);
      if ((end ?? this.#buffer.length) > MAX_HEAD_BYTES) throw tooLarge();
      if (end !== undefined) return this.#takeHead(end);
      from = Math.max(0, this.#buffer.length - END_OF_HEAD_BYTES);
      if (await this.#fill()) continue;
      throw this.#buffer.length > 0
        ? brokenOff()
        : new HttpError("the server closed the connection without a response");
    }
  }

  #takeHead(end: number): string {
    const text = this.#decodeHead(this.#take(end));
    this.#take(this.#buffer[1] === LF ? 2 : 3);
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  }

  async #line(maxBytes: number): Promise<string> {
    for (let from = 0;;) {
      const end = this.#buffer.indexOf(LF, from);
      if (Math.max(end, from) > maxBytes) throw tooLarge();
      if (end >= 0) {
        const line = latin1.decode(this.#take(end));
        this.#take(1);
        return line.endsWith("\r") ? line.slice(0, -1) : line;
      }
      from = this.#buffer.length;
      if (!await this.#fill()) throw brokenOff();
    }
  }

  async #fill(): Promise<boolean> {
    const bytes = await this.#connection.read();
    if (!bytes) return false;
    this.#buffer = this.#buffer.length === 0 ? bytes : joinBytes([this.#buffer, bytes]);
    return true;
  }
}

/** All values of a header; its name in lower case. */
export function valuesOf({ headers }: ResponseHead, name: string): readonly string[] {
  return headers.filter(([key]) => key.length === name.length && key.toLowerCase() === name)
    .map(([, text]) => text);
}

/** Whether the end of the body is marked, so that another response can follow on the connection. */
export function isDelimited(head: ResponseHead, method: string): boolean {
  return hasNoBody(head, method) || isChunked(head) || valuesOf(head, "content-length").length > 0;
}

function headTextOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return latin1.decode(bytes);
  }
}

function hasNoBody({ code }: ResponseHead, method: string): boolean {
  return method === "HEAD" || code === 204 || code === 304;
}

function isChunked(head: ResponseHead): boolean {
  return /\bchunked\s*$/i.test(valuesOf(head, "transfer-encoding").join(","));
}

function brokenOff(): HttpError {
  return new HttpError("the response is incomplete");
}

function tooLarge(): HttpError {
  return new HttpError("the headers of the response are too large");
}

/** The end of the last line of a head, before the empty line; `undefined` when it has not arrived. */
function endOfHead(bytes: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF || (bytes[at + 1] === CR && bytes[at + 2] === LF)) return at;
  }
  return undefined;
}

function parseHead(text: string): ResponseHead {
  const [status = "", ...lines] = text.split(/\r?\n/);
  const [, version, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(status) ?? [];
  if (code === undefined) throw new HttpError("the server does not speak HTTP/1.1");
  const headers: [string, string][] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last) last[1] += ` ${line.trim()}`;
    else if (colon > 0) headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
    else throw new HttpError("the response has a header without a name");
  }
  const isClosing = headers.some(([name, value]) => /^connection$/i.test(name) && /\bclose\b/i.test(value));
  return { code: Number(code), headers, keepsOpen: version === "1" && !isClosing };
}
