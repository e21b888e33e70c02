/**
 * A connection to a server of NATS: https://docs.nats.io/reference/reference-protocols/nats-protocol. No library: `@nats-io/*` has
 * four packages of 1 MB, opens its connections itself, also to servers that the first one names, and its protocol is lines of text.
 */
import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import { systemClock } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "../../base/json.ts";
import { UnsentResponses } from "../unsent_responses.ts";
import { type NatsHeaders, parseHeaders, writtenHeaders } from "./headers.ts";

/** A message. */
export interface NatsMessage {
  readonly subject: string;
  /** Where a reply or an acknowledgement goes. */
  readonly reply?: string;
  readonly headers: NatsHeaders;
  /** Of a message of the server itself, in its headers, for example 404. */
  readonly status?: number;
  /** Words for {@link status}. */
  readonly description?: string;
  readonly data: Buffer;
  /** Bytes of headers and data. */
  readonly size: number;
}

/** What is sent. */
export interface SentMessage {
  readonly subject: string;
  readonly reply?: string;
  readonly headers?: NatsHeaders;
  readonly data?: Uint8Array;
}

/** Longest line; INFO lists the servers of a cluster. */
const MAX_LINE_BYTES = 256 * 1024;
/** Largest message; it is held in memory. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Servers take 1 MiB, unless they are told otherwise. */
const MAX_HEADER_BYTES = 4 * 1024 * 1024;
/** The connection has failed if there is no response to a ping until the next one. */
const PING_MS = 30_000;
const LINE_END = Buffer.from("\r\n");
const PONG = Buffer.from("PONG\r\n");

/** A connection. */
export class NatsClient {
  /** Rejects when the connection fails or the work must stop. */
  readonly broken: Promise<never>;
  /** Why it has failed. */
  failure: Error | undefined;
  readonly #failed = Promise.withResolvers<never>();
  readonly #info = Promise.withResolvers<JsonObject>();
  readonly #listeners = new Map<string, (message: NatsMessage) => void>();
  #socket: Duplex;
  /** Bytes that are not read yet. */
  #rest: Buffer[] = [];
  #restSize = 0;
  /** The message whose data is awaited, and its size with the end of the line. */
  #open:
    | { readonly words: readonly string[]; readonly headerSize: number; readonly size: number }
    | undefined;
  #pongs: (() => void)[] = [];
  readonly #unsent = new UnsentResponses();
  #lastId = 0;
  #cancelPing: (() => void) | undefined;

  /** Over a socket, which may be opening. */
  constructor(socket: Duplex) {
    this.#socket = socket;
    this.broken = this.#failed.promise;
    this.broken.catch(() => {}); // Read while work is under way.
    this.#info.promise.catch(() => {});
    this.#attach(socket);
  }

  #attach(socket: Duplex): void {
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("error", (error: Error) => this.fail(error));
    socket.on("close", () => socket === this.#socket && this.fail(new Error("The connection was closed")));
  }

  /** What the server says about itself. */
  info(): Promise<JsonObject> {
    return Promise.race([this.#info.promise, this.broken]);
  }

  /** Continues over a socket of TLS; `wrap` gets the present one. @throws Error bytes that are not protected have come */
  upgrade(wrap: (socket: Duplex) => Duplex): void {
    if (this.#restSize > 0) throw new Error("The server sent more than its greeting before TLS");
    this.#socket.removeAllListeners("data");
    const plain = this.#socket;
    this.#socket = wrap(plain);
    plain.on("close", () => this.fail(new Error("The connection was closed")));
    this.#attach(this.#socket);
  }

  /** Logs in. @throws Error the server refuses */
  async logIn(options: JsonObject): Promise<void> {
    this.#write(`CONNECT ${stringifyJson(options)}\r\n`);
    await this.flush();
    this.#pingLater();
  }

  /** Resolves when the server has processed what was sent. */
  async flush(): Promise<void> {
    const pong = Promise.withResolvers<void>();
    this.#pongs.push(pong.resolve);
    this.#write("PING\r\n");
    await Promise.race([pong.promise, this.broken]);
  }

  /** Sends a message. Resolves when it is written. @throws Error the subject is not valid */
  async publish({ subject, reply, headers = {}, data = new Uint8Array() }: SentMessage): Promise<void> {
    const head = writtenHeaders(headers);
    const address = [subject, ...reply === undefined ? [] : [reply]];
    for (const each of address) checkSubject(each);
    const line = head.length === 0
      ? `PUB ${address.join(" ")} ${data.length}`
      : `HPUB ${address.join(" ")} ${head.length} ${head.length + data.length}`;
    const bytes = Buffer.concat([Buffer.from(`${line}\r\n`), head, data, LINE_END]);
    const written = new Promise<void>((resolve) => this.#socket.write(bytes, () => resolve()));
    await Promise.race([written, this.broken]);
  }

  /** Calls `take` for each message of a subject; returns what ends that. @throws Error the subject is not valid */
  subscribe(subject: string, take: (message: NatsMessage) => void): () => void {
    checkSubject(subject);
    const id = String(++this.#lastId);
    this.#listeners.set(id, take);
    this.#write(`SUB ${subject} ${id}\r\n`);
    return () => {
      this.#listeners.delete(id);
      this.#write(`UNSUB ${id}\r\n`);
    };
  }

  /** Ends the work over the connection. */
  stop(error: Error): void {
    this.failure ??= error;
    this.#failed.reject(error);
  }

  /** Ends the work, and the connection at once. */
  fail(error: Error): void {
    this.stop(error);
    this.#cancelPing?.();
    this.#socket.destroy();
  }

  /** Closes the connection when the server has what was sent, after some time at once. */
  async end(timeoutMs: number): Promise<void> {
    const late = Promise.withResolvers<void>();
    const cancel = systemClock.setTimer(timeoutMs, late.resolve);
    const closed = new Promise<void>((resolve) => this.#socket.once("close", resolve));
    const isClosed = this.#socket.closed;
    if (!this.#socket.destroyed) await Promise.race([this.#flushed(), closed, late.promise]);
    cancel();
    this.fail(new Error("The connection was closed"));
    if (!isClosed) await closed;
  }

  async #flushed(): Promise<void> {
    const pong = Promise.withResolvers<void>();
    this.#pongs.push(pong.resolve);
    this.#write("PING\r\n");
    await pong.promise;
  }

  #write(text: string): void {
    this.#socket.write(text);
  }

  #pingLater(): void {
    this.#cancelPing = systemClock.setTimer(PING_MS, () => {
      if (this.#pongs.length > 0) {
        return this.fail(new Error(`There was no response within ${PING_MS / 1000} s`));
      }
      this.flush().catch(() => {});
      this.#pingLater();
    });
  }

  #read(bytes: Buffer): void {
    this.#rest.push(bytes);
    this.#restSize += bytes.length;
    // A large message is put together once.
    if (this.#open && this.#restSize < this.#open.size + LINE_END.length) return;
    let buffer = Buffer.concat(this.#rest);
    try {
      for (;;) {
        const used = this.#open ? this.#readData(buffer) : this.#readLine(buffer);
        if (used === 0 || this.#socket.destroyed) break;
        buffer = buffer.subarray(used);
      }
      this.#rest = [buffer];
      this.#restSize = buffer.length;
    } catch (error) {
      this.fail(error as Error);
    }
  }

  #readLine(buffer: Buffer): number {
    const end = buffer.indexOf("\n");
    if (end < 0) {
      if (buffer.length > MAX_LINE_BYTES) throw new Error("The server sent a line that is too long");
      return 0;
    }
    this.#receive(buffer.subarray(0, end).toString().trimEnd());
    return end + 1;
  }

  #readData(buffer: Buffer): number {
    if (!this.#open) return 0;
    const { words, headerSize, size } = this.#open;
    if (buffer.length < size + LINE_END.length) return 0;
    this.#open = undefined;
    const [subject = "", id = "", reply] = words;
    const head = parseHeaders(buffer.subarray(0, headerSize).toString());
    this.#listeners.get(id)?.({ subject, reply, ...head, size, data: buffer.subarray(headerSize, size) });
    return size + LINE_END.length;
  }

  #receive(line: string): void {
    const [operation = ""] = line.split(/\s/, 1);
    const rest = line.slice(operation.length).trim();
    switch (operation.toUpperCase()) {
      case "MSG":
      case "HMSG":
        return this.#openMessage(rest.split(/\s+/), operation.length === 4);
      case "PING":
        return void this.#unsent.write(this.#socket, PONG);
      case "PONG":
        return this.#pongs.shift()?.();
      case "-ERR":
        return this.fail(new Error(rest.replace(/^'|'$/g, "")));
      case "INFO": {
        const info = parseJson(rest);
        if (!isJsonObject(info)) throw new Error("The server does not use NATS");
        return this.#info.resolve(info);
      }
      case "+OK":
        return;
      default:
        throw new Error("The server does not use NATS");
    }
  }

  #openMessage(words: string[], hasHeaders: boolean): void {
    const size = Number(words.pop()), headerSize = hasHeaders ? Number(words.pop()) : 0;
    if (!(headerSize >= 0 && headerSize <= size)) throw new Error("The server does not use NATS");
    if (size > MAX_MESSAGE_BYTES) {
      throw new Error(`The server sent a message of more than ${MAX_MESSAGE_BYTES} bytes`);
    }
    if (headerSize > MAX_HEADER_BYTES) {
      throw new Error(`The server sent a message with headers of more than ${MAX_HEADER_BYTES} bytes`);
    }
    this.#open = { words, headerSize, size };
  }
}

function checkSubject(subject: string): void {
  if (subject !== "" && !/[\s\0]/.test(subject)) return;
  throw new Error(`Invalid subject: "${subject}" is empty or has spaces`);
}
