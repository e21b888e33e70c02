/** TLS by `node:tls`, which can accept any certificate for one request instead of the process. */
import type { Buffer } from "node:buffer";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { TlsOptions, Transport, TransportAddress } from "./transport.ts";

/** A connection that is plain until {@link TlsTransport.startTls}, for the dialog with a proxy. */
export class TlsTransport implements Transport {
  #socket: Socket;
  #chunks: AsyncIterator<Uint8Array>;
  /** An error outside of a call must not end the process; later calls throw it. */
  #failure: Error | undefined;
  readonly #note = (error: Error) => {
    this.#failure ??= error;
  };

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#chunks = chunksOf(socket);
    socket.on("error", this.#note);
  }

  /** Connects; fails when the signal is aborted. */
  static async open({ host, port }: TransportAddress, signal: AbortSignal): Promise<TlsTransport> {
    const socket = connectTcp({ host, port });
    // Runtimes before 2.7 cannot start TLS on a socket that has begun to read.
    socket.pause();
    const transport = new TlsTransport(socket);
    const abort = () => transport.close(new Error("the connection is closed"));
    signal.addEventListener("abort", abort);
    try {
      await transport.#once("connect");
      return transport;
    } catch (error) {
      transport.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** @inheritdoc */
  async startTls({ serverName, isInsecure, ca, certificate: cert, key }: TlsOptions): Promise<void> {
    const servername = /^[\d.]+$|:/.test(serverName) ? "" : serverName;
    const socket = connectTls({
      socket: this.#socket,
      host: serverName,
      servername,
      rejectUnauthorized: !isInsecure,
      ca,
      cert,
      key,
    });
    socket.on("error", this.#note);
    this.#socket = socket;
    this.#chunks = chunksOf(socket);
    await this.#once("secureConnect");
  }

  /** @inheritdoc */
  async read(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#chunks.next();
      if (this.#failure) throw this.#failure;
      return done ? undefined : value;
    } catch (error) {
      throw this.#failure ?? error;
    }
  }

  /** @inheritdoc */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => error ? reject(this.#failure ?? error) : resolve());
    });
  }

  /** @inheritdoc */
  close(reason?: Error): void {
    this.#socket.destroy(reason);
  }

  /** Resolves at the event, or fails with the socket. */
  #once(event: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once(event, () => resolve());
      this.#socket.once("error", (error) => reject(this.#failure ?? error));
    });
  }
}

async function* chunksOf(socket: Socket): AsyncGenerator<Uint8Array> {
  for await (const chunk of socket) yield chunk as Buffer;
}
