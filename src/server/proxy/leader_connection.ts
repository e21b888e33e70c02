/** A connection to the leader for one request: a reused one can be closed by the other side, and then nothing says what became of the request. */
import type { Clock } from "../../base/clock.ts";
import { formatDuration } from "../../base/duration.ts";
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
  readonly #signal: AbortSignal;
  readonly #abort = () => this.close();
  #isBroken = false;

  private constructor(transport: Transport, signal: AbortSignal) {
    this.#transport = transport;
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort);
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

  /** The next bytes; `undefined` once the other side has closed. @throws HttpError */
  async read(): Promise<Uint8Array | undefined> {
    return await this.#transport.read().catch(rethrow);
  }

  /** Closes the connection; may be called twice. */
  close(): void {
    this.#signal.removeEventListener("abort", this.#abort);
    this.#transport.close();
  }
}

async function dial(url: URL, signal: AbortSignal): Promise<Transport> {
  signal.throwIfAborted();
  const isTls = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
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
