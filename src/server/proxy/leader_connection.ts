/** A connection to the leader. Between two requests it rests: it reads ahead, so that it notices at once when the other side closes it. */
import type { Clock } from "../../base/time/clock.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { unbracketed } from "../../base/network/ip.ts";
import { TcpTransport } from "../../machine/http_client/tcp_transport.ts";
import { TlsTransport } from "../../machine/http_client/tls_transport.ts";
import { reasonOf, type Transport } from "../../machine/http_client/transport.ts";
import { HttpError } from "../../model/ports/http.ts";

interface OpenOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Ends connecting, and closes the connection. */
  readonly signal: AbortSignal;
}

/** An open connection. A failed write does not prevent reads: the leader may respond before it has read the whole request. */
export class LeaderConnection {
  readonly #transport: Transport;
  readonly #abort = () => this.close();
  #signal: AbortSignal | undefined;
  #isBroken = false;
  #isClosed = false;
  /** The first read after a rest. */
  #ahead: Promise<Uint8Array | undefined> | undefined;

  private constructor(transport: Transport, signal: AbortSignal) {
    this.#transport = transport;
    this.wake(signal);
  }

  /** Connects, and starts TLS for https. @throws HttpError */
  static async open(url: URL, { clock, timeoutMs, signal }: OpenOptions): Promise<LeaderConnection> {
    const late = new AbortController();
    const cancel = clock.setTimer(timeoutMs, () => late.abort());
    const isLate = () => late.signal.aborted;
    try {
      return new LeaderConnection(await dial(url, AbortSignal.any([late.signal, signal])), signal);
    } catch (error) {
      throw new HttpError(
        isLate() ? `no connection within ${formatDuration(timeoutMs)}` : reasonOf(error),
      );
    } finally {
      cancel();
    }
  }

  /** Whether a write has failed. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Sends bytes; resolves when the buffer has room. @throws HttpError */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#transport.write(bytes).catch((error) => {
      this.#isBroken = true;
      rethrow(error);
    });
  }

  /** Whether it was closed, by either side. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The next bytes; `undefined` once the other side has closed. @throws HttpError */
  async read(): Promise<Uint8Array | undefined> {
    const ahead = this.#ahead ?? this.#transport.read();
    this.#ahead = undefined;
    return await ahead.catch(rethrow);
  }

  /** Waits for the next request. Whatever arrives meanwhile belongs to no request, and ends it. */
  rest(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#signal = undefined;
    const end = () => this.#signal ?? this.close();
    this.#ahead = this.#transport.read();
    this.#ahead.then(end, end);
  }

  /** Carries another request, whose signal closes it. */
  wake(signal: AbortSignal): void {
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort);
  }

  /** Closes the connection; may be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#transport.close();
  }
}

async function dial(url: URL, signal: AbortSignal): Promise<Transport> {
  signal.throwIfAborted();
  const isTls = url.protocol === "https:";
  const host = unbracketed(url.hostname);
  const address = { host, port: Number(url.port || (isTls ? 443 : 80)) };
  if (!isTls) return await TcpTransport.open(address, signal);
  const transport = await TlsTransport.open(address, signal);
  const abort = () => transport.close(new Error("the connection is closed"));
  signal.addEventListener("abort", abort);
  try {
    await transport.startTls({ serverName: host, isInsecure: false });
    return transport;
  } catch (error) {
    transport.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function rethrow(error: unknown): never {
  throw new HttpError(reasonOf(error));
}
