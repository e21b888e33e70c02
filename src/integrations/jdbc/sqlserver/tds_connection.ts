/**
 * Packets over a connection. The handshake of TLS travels in packets; after it, packets travel in TLS. MS-TDS, 2.2.3.1 and 3.2.5.1.
 */
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";
import { joinBytes } from "../../../base/bytes.ts";

/** Types of messages. */
export const MESSAGE = { batch: 1, login: 16, prelogin: 18 } as const;

const HEADER_BYTES = 8;
/** The size that every server takes. */
const PACKET_BYTES = 4096;
const LAST = 1;
/** Packets that wait to be read; no more are received meanwhile. */
const MAX_WAITING = 256;

/** A packet without its header. */
interface Packet {
  readonly content: Uint8Array;
  /** The message ends with it. */
  readonly isLast: boolean;
}

/** One connection. */
export class TdsConnection {
  readonly #socket: Socket;
  readonly #packets: Packet[] = [];
  #rest = new Uint8Array();
  #tls: TLSSocket | undefined;
  #tunnel: Duplex | undefined;
  #isHandshaking = false;
  #failure: Error | undefined;
  #arrived = Promise.withResolvers<void>();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes: Uint8Array) => this.#receive(bytes));
    socket.on("error", (error: Error) => this.fail(error));
    socket.on("close", () => this.fail(new Error("The server closed the connection")));
  }

  /** Ends the connection; what waits for it gets the first error. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
    this.#tls?.destroy();
    this.#arrived.resolve();
  }

  /** Begins TLS. @throws Error the certificate is not accepted */
  async secure(options: ConnectionOptions): Promise<void> {
    this.#isHandshaking = true;
    const tunnel = new Duplex({
      read: () => {},
      write: (bytes: Uint8Array, _encoding, done) => this.#writeTunnel(bytes, done),
    });
    this.#tunnel = tunnel;
    // The server speaks 1.3 only where TLS begins with the connection.
    const tls = connectTls({ ...options, socket: tunnel as Socket, maxVersion: "TLSv1.2" });
    this.#tls = tls;
    tls.on("data", (bytes: Uint8Array) => this.#feed(bytes));
    const secured = Promise.withResolvers<void>();
    tls.on("secureConnect", () => secured.resolve());
    tls.on("error", (error: Error) => {
      secured.reject(error);
      this.fail(error);
    });
    await Promise.race([secured.promise, this.#whenFailed()]);
    this.#isHandshaking = false;
  }

  /** Ends the use of TLS, which protected the login alone. */
  useNoTls(): void {
    this.#tls = undefined;
    this.#tunnel = undefined;
  }

  /** Sends a message. @throws Error the connection ended */
  async send(type: number, content: Uint8Array): Promise<void> {
    const bytes = packed(type, content);
    await new Promise<void>((resolve, reject) =>
      (this.#tls ?? this.#socket).write(bytes, (error) => error ? reject(this.#failure ?? error) : resolve())
    );
  }

  /** The packets of the next message. @throws Error the connection ended */
  async *message(): AsyncGenerator<Packet> {
    for (;;) {
      const packet = this.#packets.shift();
      if (packet) {
        yield packet;
        if (packet.isLast) return;
        continue;
      }
      if (this.#failure) throw this.#failure;
      this.#socket.resume();
      this.#arrived = Promise.withResolvers();
      await this.#arrived.promise;
    }
  }

  async #whenFailed(): Promise<never> {
    while (!this.#failure) {
      this.#arrived = Promise.withResolvers();
      await this.#arrived.promise;
    }
    throw this.#failure;
  }

  #writeTunnel(bytes: Uint8Array, done: (error?: Error | null) => void): void {
    this.#socket.write(this.#isHandshaking ? packed(MESSAGE.prelogin, bytes) : bytes, done);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#tunnel && !this.#isHandshaking) this.#tunnel.push(bytes);
    else this.#feed(bytes);
  }

  /** Splits what arrives into packets. */
  #feed(bytes: Uint8Array): void {
    let all = this.#rest.length === 0 ? bytes : joinBytes([this.#rest, bytes]);
    while (all.length >= HEADER_BYTES) {
      const size = (all[2] ?? 0) * 256 + (all[3] ?? 0);
      if (size < HEADER_BYTES) {
        return this.fail(new Error("The server does not use the protocol of SQL Server"));
      }
      if (all.length < size) break;
      this.#take({ content: all.slice(HEADER_BYTES, size), isLast: ((all[1] ?? 0) & LAST) === LAST });
      all = all.subarray(size);
    }
    this.#rest = all.slice();
  }

  #take(packet: Packet): void {
    if (this.#isHandshaking) return void this.#tunnel?.push(packet.content);
    this.#packets.push(packet);
    if (this.#packets.length > MAX_WAITING) this.#socket.pause();
    this.#arrived.resolve();
  }
}

/** The packets of a message. */
function packed(type: number, content: Uint8Array): Uint8Array {
  const size = PACKET_BYTES - HEADER_BYTES;
  const count = Math.max(1, Math.ceil(content.length / size));
  const bytes = new Uint8Array(content.length + count * HEADER_BYTES);
  for (let index = 0; index < count; index++) {
    const part = content.subarray(index * size, (index + 1) * size);
    const total = part.length + HEADER_BYTES, at = index * PACKET_BYTES;
    bytes.set(
      [type, index === count - 1 ? LAST : 0, total >> 8, total & 0xff, 0, 0, (index + 1) & 0xff, 0],
      at,
    );
    bytes.set(part, at + HEADER_BYTES);
  }
  return bytes;
}
