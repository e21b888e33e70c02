/** One connection to a server: bytes out, bytes in, with a limit for each wait. */
import type { Buffer } from "node:buffer";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { CancelTimer, Clock } from "../../base/clock.ts";
import { formatDuration } from "../../base/duration.ts";
import { HttpError } from "../../model/ports/http.ts";

/** How long a connection waits, and who may end it. */
export interface ConnectionOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly readIdleTimeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What is said over TLS, and to whom. */
export interface TlsOptions {
  readonly serverName: string;
  readonly isInsecure: boolean;
}

/** An open connection. It is used for one request and closed. */
export class Connection {
  #socket: Socket;
  #chunks: AsyncIterator<Uint8Array>;
  readonly #options: ConnectionOptions;
  readonly #abort: () => void;
  #failure: HttpError | undefined;
  /** The first error is the reason of those that follow; one that comes when nobody waits must not end the process. */
  readonly #note = (error: unknown) => {
    this.#failure ??= error instanceof HttpError ? error : new HttpError(reasonOf(error));
  };

  private constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#chunks = chunksOf(socket);
    socket.on("error", this.#note);
    this.#options = options;
    this.#abort = () => this.#fail(new HttpError("the request was stopped"));
    options.signal?.addEventListener("abort", this.#abort);
  }

  /** Connects to an address. @throws HttpError */
  static async open(
    { host, port }: { readonly host: string; readonly port: number },
    options: ConnectionOptions,
  ): Promise<Connection> {
    if (options.signal?.aborted) throw new HttpError("the request was stopped");
    const socket = connectTcp({ host, port });
    // Runtimes before 2.7 cannot put TLS on a socket that has begun to read.
    socket.pause();
    const connection = new Connection(socket, options);
    await connection.#established(socket, "connect");
    return connection;
  }

  /** Goes on over TLS. @throws HttpError: the certificate is not accepted, … */
  async startTls({ serverName, isInsecure }: TlsOptions): Promise<void> {
    // Otherwise the old reader would take what belongs to the new one.
    const raw = this.#socket;
    const servername = /^[\d.]+$|:/.test(serverName) ? "" : serverName;
    const socket = connectTls({ socket: raw, host: serverName, servername, rejectUnauthorized: !isInsecure });
    socket.on("error", this.#note);
    this.#socket = socket;
    this.#chunks = chunksOf(socket);
    await this.#established(socket, "secureConnect");
  }

  /** Sends bytes; resolves when there is room for more. @throws HttpError */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#within(
      new Promise<void>((resolve, reject) => {
        this.#socket.write(bytes, (error) => error ? reject(error) : resolve());
      }),
      this.#options.readIdleTimeoutMs,
    );
  }

  /** The next bytes; `undefined` once the other side has closed. @throws HttpError */
  async read(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#within(this.#chunks.next(), this.#options.readIdleTimeoutMs);
    return done ? undefined : value;
  }

  /** Ends the connection; may be called twice. */
  close(): void {
    this.#options.signal?.removeEventListener("abort", this.#abort);
    this.#socket.destroy();
  }

  async #established(socket: Socket, event: string): Promise<void> {
    try {
      await this.#within(happening(socket, event), this.#options.connectTimeoutMs, "connect");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async #within<T>(work: Promise<T>, limitMs: number, what = "read"): Promise<T> {
    const cancelTimer = this.#limit(limitMs, what);
    try {
      const result = await work;
      if (this.#failure) throw this.#failure;
      return result;
    } catch (error) {
      throw this.#failure ?? new HttpError(reasonOf(error));
    } finally {
      cancelTimer();
    }
  }

  #limit(limitMs: number, what: string): CancelTimer {
    const text = what === "connect"
      ? `no connection within ${formatDuration(limitMs)}`
      : `no data within ${formatDuration(limitMs)}`;
    return this.#options.clock.setTimer(limitMs, () => this.#fail(new HttpError(text)));
  }

  #fail(failure: HttpError): void {
    this.#failure ??= failure;
    this.#socket.destroy(failure);
  }
}

/** Settles with the event, or fails with the socket. */
function happening(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.once("error", reject);
  });
}

async function* chunksOf(socket: Socket): AsyncGenerator<Uint8Array> {
  for await (const chunk of socket) yield chunk as Buffer;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "the connection was refused"],
  ["ECONNRESET", "the server closed the connection"],
  ["EPIPE", "the server closed the connection"],
  ["EHOSTUNREACH", "the server cannot be reached"],
  ["ENETUNREACH", "the network cannot be reached"],
  ["ETIMEDOUT", "the server does not answer"],
]);

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return REASONS.get(code) ?? error.message;
}
