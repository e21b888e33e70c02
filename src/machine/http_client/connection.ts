/** One connection to a server, with a timeout for each wait. */
import type { Clock } from "../../base/time/clock.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { HttpError } from "../../model/ports/http.ts";
import { TcpTransport } from "./tcp_transport.ts";
import { TlsTransport } from "./tls_transport.ts";
import { reasonOf, type TlsOptions, type Transport, type TransportAddress } from "./transport.ts";
import { WaitLimit } from "./wait_limit.ts";

/** Timeouts and cancellation. */
export interface ConnectionOptions {
  readonly clock: Clock;
  /** Whether {@link Connection.startTls} will be called. */
  readonly isTls: boolean;
  readonly connectTimeoutMs: number;
  readonly readIdleTimeoutMs: number;
  readonly signal?: AbortSignal;
}

/** An open connection, used for one request. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #limit: WaitLimit;
  readonly #abort: () => void;
  /** Aborts connecting. */
  readonly #opening = new AbortController();
  #transport: Transport | undefined;
  /** The first failure, which all later calls throw. */
  #failure: HttpError | undefined;
  #isConnected = false;
  #isClosed = false;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#limit = new WaitLimit(options.clock, (limitMs) => this.#fail(this.#lateness(limitMs)));
    this.#abort = () => this.#fail(stopped());
    options.signal?.addEventListener("abort", this.#abort);
  }

  /** Connects to an address. @throws HttpError */
  static async open(address: TransportAddress, options: ConnectionOptions): Promise<Connection> {
    if (options.signal?.aborted) throw stopped();
    const connection = new Connection(options);
    await connection.#established(() => connection.#connect(address));
    return connection;
  }

  /** Starts TLS. @throws HttpError the certificate is not accepted, … */
  async startTls(options: TlsOptions): Promise<void> {
    await this.#established(async () => await this.#transport?.startTls?.(options));
  }

  /** Sends bytes; resolves when they may be overwritten. @throws HttpError */
  write(bytes: Uint8Array): Promise<void> {
    return this.#within(this.#options.readIdleTimeoutMs, () => this.#open.write(bytes));
  }

  /** The next bytes; `undefined` once the other side has closed. @throws HttpError */
  read(): Promise<Uint8Array | undefined> {
    return this.#within(this.#options.readIdleTimeoutMs, () => this.#open.read());
  }

  /** Closes the connection; may be called twice. */
  close(): void {
    this.#options.signal?.removeEventListener("abort", this.#abort);
    this.#limit.stop();
    this.#isClosed = true;
    this.#transport?.close();
  }

  get #open(): Transport {
    if (this.#transport) return this.#transport;
    throw new Error("The connection is not open");
  }

  /** A connection established after a failure is closed. */
  async #connect(address: TransportAddress): Promise<void> {
    const { signal } = this.#opening;
    this.#transport = this.#options.isTls
      ? await TlsTransport.open(address, signal)
      : await TcpTransport.open(address, signal);
    if (this.#failure) this.#transport.close();
  }

  async #established(work: () => Promise<void>): Promise<void> {
    this.#isConnected = false;
    try {
      await this.#within(this.#options.connectTimeoutMs, work);
      this.#isConnected = true;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async #within<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    if (this.#failure || this.#isClosed) throw this.#failure ?? new HttpError("the connection is closed");
    this.#limit.begin(limitMs);
    try {
      const result = await work();
      if (this.#failure) throw this.#failure;
      return result;
    } catch (error) {
      throw this.#failure ??= new HttpError(reasonOf(error));
    } finally {
      this.#limit.end();
    }
  }

  #lateness(limitMs: number): HttpError {
    const what = this.#isConnected ? "data" : "connection";
    return new HttpError(`no ${what} within ${formatDuration(limitMs)}`);
  }

  #fail(failure: HttpError): void {
    this.#failure ??= failure;
    this.#opening.abort();
    this.#transport?.close(failure);
  }
}

function stopped(): HttpError {
  return new HttpError("the request was stopped");
}
