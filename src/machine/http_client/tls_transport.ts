/** TLS by `node:tls`, which can accept any certificate for one request instead of the process. */
import { connect as connectTcp, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { ReceivedBytes } from "./received_bytes.ts";
import type { TlsOptions, Transport, TransportAddress } from "./transport.ts";

/** A connection that is plain until {@link TlsTransport.startTls}, for the dialog with a proxy. */
export class TlsTransport implements Transport {
  readonly #plain: Socket;
  #socket: Socket;
  /** Absent before the first read. */
  #received: ReceivedBytes | undefined;
  /** An error outside of a call must not end the process; later calls throw it. */
  #failure: Error | undefined;
  readonly #note = (error: Error) => {
    this.#failure ??= error;
  };

  private constructor(socket: Socket) {
    this.#plain = this.#socket = socket;
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
    this.#received?.leave();
    const servername = /^[\d.]+$|:/.test(serverName) ? "" : serverName;
    const socket = connectTls({
      socket: streamOf(this.#plain),
      host: serverName,
      servername,
      rejectUnauthorized: !isInsecure,
      ca,
      cert,
      key,
    });
    socket.on("error", this.#note);
    this.#socket = socket;
    await this.#once("secureConnect");
    this.#received = new ReceivedBytes(socket, this.#plain);
  }

  /** @inheritdoc */
  async read(): Promise<Uint8Array | undefined> {
    this.#received ??= new ReceivedBytes(this.#socket);
    try {
      const bytes = await this.#received.next();
      if (this.#failure) throw this.#failure;
      return bytes;
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
    this.#plain.destroy(reason);
  }

  /** Resolves at the event, or fails with the socket. */
  #once(event: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once(event, () => resolve());
      this.#socket.once("error", (error) => reject(this.#failure ?? error));
    });
  }
}

/** A stream over a socket. TLS directly over a socket does not continue after a pause of that socket (Deno 2.9.6). */
function streamOf(socket: Socket): Duplex {
  const stream = new Duplex({
    read: () => {},
    write: (bytes, _encoding, done) => void socket.write(bytes, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy(error ?? undefined);
      done(error);
    },
  });
  socket.on("data", (bytes) => stream.push(bytes)).on("end", () => stream.push(null));
  socket.on("error", (error) => stream.destroy(error)).resume();
  return stream;
}
