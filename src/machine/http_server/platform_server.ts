/** HTTP by `Deno.serve`: on Deno Deploy, and where Deno cannot serve a connection that it has not accepted itself. */
import type { CancelTimer } from "../../base/time/clock.ts";
import { attachWatcher } from "../../model/http/transfer_watch.ts";
import { failureResponse, type HttpServer, type HttpServerOptions } from "./options.ts";
import { Transfers } from "./transfers.ts";

const SWEEP_MS = 1_000;
/** Wait until it listens again after the system refused to accept. */
const PAUSE_MS = 100;

type Serve = (
  options: Deno.ServeTcpOptions,
  handler: Deno.ServeHandler<Deno.NetAddr>,
) => Deno.HttpServer<Deno.NetAddr>;

/** Listens again after a failure: `Deno.serve` ends when the process has no file descriptor left. */
export class PlatformServer implements HttpServer {
  readonly #options: HttpServerOptions;
  readonly #serve: Serve;
  readonly #transfers = new Transfers();
  #server: Deno.HttpServer<Deno.NetAddr>;
  #isStopping = false;
  #cancelSweep: CancelTimer = () => {};
  #cancelPause: CancelTimer = () => {};

  constructor(options: HttpServerOptions, serve: Serve = Deno.serve) {
    this.#options = options;
    this.#serve = serve;
    this.#server = this.#listen(options.port);
    this.#sweepLater();
  }

  /** @inheritdoc */
  get addr(): Deno.NetAddr {
    return this.#server.addr;
  }

  async shutdown(): Promise<void> {
    this.#isStopping = true;
    this.#cancelPause();
    await this.#server.shutdown().catch(() => {}); // It has ended before.
    this.#cancelSweep();
  }

  #listen(port: number): Deno.HttpServer<Deno.NetAddr> {
    const { hostname, isDeploy, handler, logger } = this.#options;
    const place = isDeploy ? {} : { hostname, port };
    const onError = (error: unknown) => failureResponse(error, logger);
    const server = this.#serve({ ...place, onListen: () => {}, onError }, (request, info) => {
      attachWatcher(request, this.#transfers);
      return handler(request, info);
    });
    server.finished.catch((error: unknown) => this.#recover(error));
    return server;
  }

  #recover(error: unknown): void {
    const { clock, logger } = this.#options;
    if (this.#isStopping) return;
    logger.error("Cannot accept connections", { reason: String(error) });
    this.#cancelPause = clock.setTimer(PAUSE_MS, () => {
      try {
        this.#server = this.#listen(this.addr.port);
      } catch (error) {
        this.#recover(error);
      }
    });
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#options.clock.setTimer(SWEEP_MS, () => {
      this.#transfers.sweep();
      this.#sweepLater();
    });
  }
}
