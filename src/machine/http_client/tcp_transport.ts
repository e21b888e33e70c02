/** Plain TCP with the sockets of Deno, which cost a fifth of `node:net` per request. */
import type { Transport, TransportAddress } from "./transport.ts";

/** Enough for most responses: clearing 64 KiB takes longer than all other work for a short one. */
const FIRST_BUFFER_BYTES = 4 * 1024;
/** For longer responses. */
const BUFFER_BYTES = 64 * 1024;
/** With less room left, reading continues in a new buffer. */
const LEAST_ROOM_BYTES = 2 * 1024;

/** A plain connection. */
export class TcpTransport implements Transport {
  readonly #socket: Deno.TcpConn;
  readonly #closed = Promise.withResolvers<void>();
  /** Each part is filled once, since the reader may keep it. */
  #room: Uint8Array = new Uint8Array(FIRST_BUFFER_BYTES);
  #writeCount = 0;
  #isClosed = false;

  private constructor(socket: Deno.TcpConn) {
    this.#socket = socket;
  }

  /** Connects; fails when the signal is aborted. */
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
    // Most requests are a single write, which is not delayed anyway.
    if (this.#writeCount++ === 1) this.#socket.setNoDelay(true);
    for (let sent = 0; sent < bytes.length;) {
      // In runtimes before 2.7 a pending write does not end when its socket is closed.
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
