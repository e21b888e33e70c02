/**
 * HTTP by `node:http`, with the limits of the main port. The server of the platform refuses a request with a body that asks
 * for an upgrade, as the default client of Java sends it; this one does not upgrade and serves it, as RFC 9110 permits. It
 * serves half as many starts a second.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { AcceptProbe } from "../../base/network/accept_probe.ts";
import type { CancelTimer } from "../../base/time/clock.ts";
import { Connections } from "./connections.ts";
import { requestOf, respond } from "./node_messages.ts";
import { failureResponse, type HttpServer, type HttpServerOptions, plainResponse } from "./options.ts";
import type {
  AcceptedConnection,
  CloseSignal,
  ConnectionServer,
  ServeConnection,
} from "./serve_connection.ts";
import { REFUSAL } from "./refusals.ts";
import { Transfers } from "./transfers.ts";

const SWEEP_MS = 1_000;

/** Code of the error when the connection closes before the end of a response. */
const LEFT = "ERR_STREAM_PREMATURE_CLOSE";

type Handle = Parameters<ServeConnection>[2];

/** Listens. @throws Error the port cannot be listened on */
export async function startCompatServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer({ noDelay: true, headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.hostname, resolve);
  });
  return new CompatServer(server, options);
}

class CompatServer implements HttpServer {
  readonly addr: Deno.NetAddr;
  readonly #server: Server;
  readonly #options: HttpServerOptions;
  readonly #connections: Connections;
  readonly #transfers = new Transfers();
  readonly #accepted = new WeakMap<Socket, AcceptedSocket>();
  readonly #probe: AcceptProbe;
  #isStopping = false;
  #cancelSweep: CancelTimer = () => {};

  constructor(server: Server, options: HttpServerOptions) {
    const { handler, limits, isTrustedProxy = () => false, logger } = options;
    const { address: hostname, port } = server.address() as AddressInfo;
    this.addr = { transport: "tcp", hostname, port };
    this.#server = server;
    this.#options = options;
    this.#probe = new AcceptProbe(this.addr);
    const onError = (error: unknown) => failureResponse(error, logger);
    const watcher = this.#transfers;
    this.#connections = new Connections({ serve, handler, onError, limits, isTrustedProxy, watcher });
    server.on("connection", (socket) => this.#accept(socket));
    server.on("request", (request, response) => void this.#serve(request, response));
    server.on(
      "error",
      (error) => logger.repeated("warn", "Cannot accept connections", { reason: error.message }),
    );
    this.#sweepLater();
  }

  async shutdown(): Promise<void> {
    this.#isStopping = true;
    this.#probe.end();
    this.#server.close();
    await this.#connections.drain();
    this.#cancelSweep();
  }

  #accept(socket: Socket): void {
    this.#probe.accepted();
    const accepted = new AcceptedSocket(socket);
    this.#accepted.set(socket, accepted);
    if (!this.#connections.admit(accepted)) socket.end(REFUSAL, () => socket.destroy());
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const accepted = this.#accepted.get(message.socket);
    try {
      await accepted?.respond(message, response);
    } catch (error) {
      // A client may leave at any time.
      if ((error as { code?: unknown }).code !== LEFT) failureResponse(error, this.#options.logger);
      message.socket.destroy();
    }
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#options.clock.setTimer(SWEEP_MS, () => {
      this.#connections.sweep();
      this.#transfers.sweep();
      if (!this.#isStopping && (!this.#server.listening || this.#probe.sweep())) this.#listenAgain();
      this.#sweepLater();
    });
  }

  /** Opens the port anew. */
  #listenAgain(): void {
    const { hostname, port } = this.addr;
    this.#options.logger.repeated("warn", "Listens again: no connection was accepted any more", { port });
    if (this.#server.listening) this.#server.close();
    this.#server.listen(port, hostname);
  }
}

const serve: ServeConnection = (accepted, signal, handler, onError) =>
  (accepted as AcceptedSocket).serve(signal, handler, onError);

/** A connection that `node:http` reads. */
class AcceptedSocket implements AcceptedConnection {
  readonly remoteAddr: Deno.NetAddr;
  readonly #socket: Socket;
  #handler: Handle | undefined;
  #onError: (error: unknown) => Response = () => Response.error();
  #underWay = 0;
  #isDraining = false;

  constructor(socket: Socket) {
    const { remoteAddress: hostname = "", remotePort: port = 0 } = socket;
    this.#socket = socket;
    this.remoteAddr = { transport: "tcp", hostname, port };
  }

  setNoDelay(): void {
    this.#socket.setNoDelay();
  }

  serve(signal: CloseSignal, handler: Handle, onError: (error: unknown) => Response): ConnectionServer {
    this.#handler = handler;
    this.#onError = onError;
    const finished = new Promise<void>((resolve) => this.#socket.once("close", () => resolve()));
    signal.addEventListener("abort", () => this.#socket.destroy());
    return { finished, shutdown: () => Promise.resolve(this.#drain()) };
  }

  /** Handles a request and sends its response. @throws what breaks the response off */
  async respond(message: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#handler) return;
    this.#underWay++;
    const completed = new Promise<void>((resolve) => response.once("close", resolve));
    try {
      const request = requestOf(message, response);
      const result = typeof request === "string"
        ? plainResponse(400, request)
        : await this.#responseOf(request, completed);
      if (this.#isDraining) response.setHeader("connection", "close");
      await respond(response, result);
    } finally {
      if (--this.#underWay === 0 && this.#isDraining) this.#socket.destroySoon();
    }
  }

  async #responseOf(request: Request, completed: Promise<void>): Promise<Response> {
    try {
      return await (this.#handler as Handle)(request, { completed });
    } catch (error) {
      return this.#onError(error);
    }
  }

  #drain(): void {
    this.#isDraining = true;
    if (this.#underWay === 0) this.#socket.destroy();
  }
}
