/** Accepts connections and serves HTTP on each. No client can end it, and none keeps a connection without using it. */
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import { Connections } from "./connections.ts";
import { failureResponse, type HttpServer, type HttpServerOptions } from "./options.ts";
import { Refusals } from "./refusals.ts";
import type { ServeConnection } from "./serve_connection.ts";
import { Transfers } from "./transfers.ts";

const SWEEP_MS = 1_000;
/** Wait after the system refused to accept, mostly for want of file descriptors. */
const PAUSE_MS = 100;
/** Idle connections that are closed after each such refusal. */
const DISPLACED_AT_ONCE = 16;
const TOO_MANY = "as many are open as --max-connections and --max-connections-per-address allow";

/** Accepts connections itself. */
export class AcceptingServer implements HttpServer {
  readonly addr: Deno.NetAddr;
  readonly #listener: Pick<Deno.TcpListener, "accept" | "close">;
  readonly #clock: Clock;
  readonly #connections: Connections;
  readonly #transfers = new Transfers();
  readonly #refusals: Refusals;
  readonly #accepting: Promise<void>;
  readonly #logger: Logger;
  #isStopping = false;
  #cancelSweep: CancelTimer = () => {};
  /** Ends the wait of the accept loop. */
  #resume: () => void = () => {};

  constructor(
    listener: Pick<Deno.TcpListener, "accept" | "close" | "addr">,
    serve: ServeConnection,
    { handler, limits, isTrustedProxy = () => false, clock, logger }: HttpServerOptions,
  ) {
    this.addr = listener.addr as Deno.NetAddr;
    this.#listener = listener;
    this.#clock = clock;
    this.#refusals = new Refusals(clock);
    this.#logger = logger;
    const onError = (error: unknown) => failureResponse(error, logger);
    this.#connections = new Connections({
      ...{ serve, handler, onError, limits, isTrustedProxy },
      watcher: this.#transfers,
    });
    this.#sweepLater();
    this.#accepting = this.#acceptAll();
  }

  /** Number of open connections. */
  get connectionCount(): number {
    return this.#connections.count;
  }

  async shutdown(): Promise<void> {
    if (!this.#isStopping) this.#listener.close();
    this.#isStopping = true;
    this.#resume();
    this.#refusals.close();
    await this.#accepting;
    await this.#connections.drain();
    this.#cancelSweep();
  }

  async #acceptAll(): Promise<void> {
    while (!this.#isStopping) {
      try {
        this.#admit(await this.#listener.accept());
      } catch (error) {
        if (!this.#isStopping) await this.#recover(error);
      }
    }
  }

  #admit(accepted: Deno.TcpConn): void {
    try {
      if (this.#connections.admit(accepted)) return;
      this.#logger.repeated("warn", "Refused connections", { reason: TOO_MANY });
      void this.#refusals.refuse(accepted);
    } catch {
      accepted.close(); // The client has closed it already.
    }
  }

  /** Makes room and waits, so that the loop does not take all time while the system refuses. */
  async #recover(error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    this.#logger.repeated("warn", "Cannot accept connections", { reason });
    for (let count = 0; count < DISPLACED_AT_ONCE && this.#connections.displace(); count++) continue;
    const waited = Promise.withResolvers<void>();
    const cancel = this.#clock.setTimer(PAUSE_MS, waited.resolve);
    this.#resume = waited.resolve;
    await waited.promise;
    cancel();
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#clock.setTimer(SWEEP_MS, () => {
      this.#connections.sweep();
      this.#transfers.sweep();
      this.#sweepLater();
    });
  }
}
