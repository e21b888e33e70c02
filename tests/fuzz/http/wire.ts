/** One HTTP/1.1 connection, written and read byte by byte: it sends what no client library would. */
import { joinBytes } from "../../../src/base/bytes.ts";
import { type FuzzRequest, messageOf } from "./message.ts";

/** A response as it came. */
export interface WireResponse {
  readonly status: number;
  /** Names in lower case; values of repeated headers are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** Without transfer encoding; empty for event streams, which are not read. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The server keeps the connection open. */
  readonly isReusable: boolean;
}

const BUFFER_BYTES = 65_536;
/** No response of the server is that long. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_INTERIM_RESPONSES = 5;
const LINE_FEED = 10;
const NO_BODY: ReadonlySet<number> = new Set([204, 304]);
const latin1 = new TextDecoder("latin1");

/** The connection ended before the response was complete. */
export class WireEnd extends Error {
  override readonly name: string = "WireEnd";
}

/** This side ended the connection before the response was complete: it took too long. */
export class WireTimeout extends WireEnd {
  override readonly name = "WireTimeout";
}

/** A connection to the server. */
export class Wire implements Disposable {
  readonly #connection: Deno.TcpConn;
  #buffer = new Uint8Array(BUFFER_BYTES);
  #start = 0;
  #end = 0;
  #isClosed = false;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Connects to a port of this machine. */
  static async connect(port: number): Promise<Wire> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connection.setNoDelay(true);
    return new Wire(connection);
  }

  /**
   * Sends a request and reads its response. A raw message is sent with the end of the stream after it, so that the server
   * does not wait for more. @throws WireEnd the server closed the connection instead
   */
  async exchange(request: FuzzRequest): Promise<WireResponse> {
    const written = this.#write(messageOf(request), request.raw !== undefined);
    const response = await this.#readResponse(request.raw ? "" : request.method);
    // A response may come before the whole request is read, and the rest is then refused.
    const isSent = await written;
    return { ...response, isReusable: response.isReusable && isSent && request.raw === undefined };
  }

  /** Ends the connection, also under a request that waits. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.close();
  }

  async #write(bytes: Uint8Array, isLast: boolean): Promise<boolean> {
    try {
      for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
      if (isLast) await this.#connection.closeWrite();
      return true;
    } catch {
      return false;
    }
  }

  async #readResponse(method: string): Promise<WireResponse> {
    for (let count = 0; count < MAX_INTERIM_RESPONSES; count++) {
      const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(await this.#line())?.[1] ?? 0);
      const headers = await this.#readHeaders();
      if (status >= 100 && status < 200 && status !== 101) continue;
      const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
      const hasBody = method !== "HEAD" && !NO_BODY.has(status) && !isStream;
      const isFramed = headers.has("content-length") || headers.has("transfer-encoding");
      const body = hasBody ? await this.#readBody(headers) : new Uint8Array();
      const isReusable = headers.get("connection") !== "close" && !isStream && (isFramed || !hasBody);
      return { status, headers, body, isReusable };
    }
    throw new WireEnd("Only interim responses came");
  }

  async #readHeaders(): Promise<Map<string, string>> {
    const headers = new Map<string, string>();
    for (let line = await this.#line(); line !== ""; line = await this.#line()) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).toLowerCase(), value = line.slice(colon + 1).trim();
      const before = headers.get(name);
      headers.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    return headers;
  }

  async #readBody(headers: ReadonlyMap<string, string>): Promise<Uint8Array<ArrayBuffer>> {
    const length = headers.get("content-length");
    if (length !== undefined) return await this.#bytes(Number(length));
    const parts: Uint8Array<ArrayBuffer>[] = [];
    if (headers.get("transfer-encoding") === undefined) {
      for (let part = await this.#some(); part; part = await this.#some()) parts.push(part);
      return joinBytes(parts);
    }
    for (let total = 0; total < MAX_BODY_BYTES;) {
      const size = parseInt(await this.#line("within the body"), 16);
      if (!(size >= 0)) throw new WireEnd("A chunk has no size");
      if (size > 0) parts.push(await this.#bytes(size));
      total += size;
      await this.#line("within the body");
      if (size === 0) return joinBytes(parts);
    }
    throw new WireEnd("The body does not end");
  }

  /** A line without its end. */
  async #line(place = "before the response"): Promise<string> {
    let from = this.#start;
    for (;;) {
      const at = this.#buffer.subarray(0, this.#end).indexOf(LINE_FEED, from);
      if (at >= 0) {
        const line = latin1.decode(this.#buffer.subarray(this.#start, at));
        this.#start = at + 1;
        return line.endsWith("\r") ? line.slice(0, -1) : line;
      }
      from = this.#end - this.#start;
      if (!await this.#fill()) throw new WireEnd(`The connection ended ${place}`);
    }
  }

  async #bytes(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(Math.min(count, MAX_BODY_BYTES));
    for (let at = 0; at < bytes.length;) {
      const part = await this.#some(bytes.length - at);
      if (!part) throw new WireEnd("The connection ended within the body");
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  /** What is there already, else what comes next; `undefined` at the end. */
  async #some(most = Infinity): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (this.#start === this.#end && !await this.#fill()) return undefined;
    const end = Math.min(this.#end, this.#start + most);
    const part = this.#buffer.slice(this.#start, end);
    this.#start = end;
    return part;
  }

  /** Reads more behind what is there, which moves to the front. */
  async #fill(): Promise<boolean> {
    this.#buffer.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    if (this.#end === this.#buffer.length) throw new WireEnd("A line of the response is too long");
    const count = await this.#connection.read(this.#buffer.subarray(this.#end)).catch(() => null);
    if (this.#isClosed) throw new WireTimeout("The response took too long");
    this.#end += count ?? 0;
    return count !== null;
  }
}
