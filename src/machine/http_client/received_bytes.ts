/** Bytes that a socket of `node:net` has received, until they are read. */
import type { Buffer } from "node:buffer";
import type { Socket } from "node:net";

/** Bytes from which on no more are taken from the network, and below which they are again. */
const [HIGH_BYTES, LOW_BYTES] = [1024 * 1024, 512 * 1024];

/**
 * The bytes in order. They are taken from the socket as they come: a TLS socket of Deno 2.9.6 that was paused does not tell when
 * the server has closed it. So `source` is paused, the plain socket below it.
 */
export class ReceivedBytes {
  readonly #socket: Socket;
  readonly #source: Socket;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isPaused = false;
  #isEnded = false;
  #isClosed = false;
  #wake = () => {};
  readonly #take = (chunk: Buffer) => {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= HIGH_BYTES) this.#pause(true);
    this.#wake();
  };
  readonly #end = () => {
    this.#isEnded = true;
    this.#wake();
  };
  readonly #close = () => {
    this.#isClosed = true;
    this.#wake();
  };

  constructor(socket: Socket, source: Socket = socket) {
    this.#socket = socket;
    this.#source = source;
    socket.on("data", this.#take).on("end", this.#end).on("close", this.#close).resume();
  }

  /** The next bytes, `undefined` after the end. One call at a time. @throws Error the socket was closed before its end */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#chunks.length === 0 && !this.#isEnded && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    const chunk = this.#chunks.shift();
    if (chunk) {
      this.#bytes -= chunk.length;
      if (this.#bytes < LOW_BYTES) this.#pause(false);
    } else if (!this.#isEnded) throw new Error("the connection was closed before its end");
    return chunk;
  }

  /** Leaves the socket, which may be read by TLS then. */
  leave(): void {
    this.#socket.pause();
    this.#socket.off("data", this.#take).off("end", this.#end).off("close", this.#close);
  }

  #pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#source.pause();
    else this.#source.resume();
  }
}
