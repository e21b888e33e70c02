/** Bytes without TLS: the sockets of the platform itself, which cost a request a fifth of what `node:net` does. */
import type { Transport, TransportAddress } from "./transport.ts";

/** Enough for most answers: clearing 64 KiB takes longer than all else that is done for a short one. */
const FIRST_BUFFER_BYTES = 4 * 1024;
/** Of answers that are longer. */
const BUFFER_BYTES = 64 * 1024;
/** With less room than this left, reading goes on in a new buffer. */
const LEAST_ROOM_BYTES = 2 * 1024;

/** A plain connection. */
export class TcpTransport implements Transport {
  readonly #socket: Deno.TcpConn;
  readonly #closed = Promise.withResolvers<void>();
  /** Each part of it is filled once, since whoever has read it may keep it. */
  #room: Uint8Array = new Uint8Array(FIRST_BUFFER_BYTES);
  #writeCount = 0;
  #isClosed = false;

  private constructor(socket: Deno.TcpConn) {
    this.#socket = socket;
  }

  /** Connects; gives up when the signal says so. */
  static async open({ host, port }: TransportAddress, signal: AbortSignal): Promise<TcpTransport> {
    const socket = await Deno.connect({ hostname: host, port, signal });
    return new TcpTransport(socket);
  }

  /** @inheritdoc */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#room.length < LEAST_ROOM_BYTES) this.#room = new Uint8Array(BUFFER_BYTES);
    const room = this.#room;
    const count = await this.#socket.read(room);
    if (count === null) return undefined;
    this.#room = room.subarray(count);
    return room.subarray(0, count);
  }

  /** @inheritdoc */
  async write(bytes: Uint8Array): Promise<void> {
    // Most requests are one write, which nothing holds back.
    if (this.#writeCount++ === 1) this.#socket.setNoDelay(true);
    for (let sent = 0; sent < bytes.length;) {
      // Runtimes before 2.7 leave a write waiting whose socket is closed.
      const count = await Promise.race([this.#socket.write(bytes.subarray(sent)), this.#closed.promise]);
      if (count === undefined) throw new Error("the connection is closed");
      sent += count;
    }
  }

  /** @inheritdoc */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.close();
    this.#closed.resolve();
  }
}
