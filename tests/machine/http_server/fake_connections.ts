/** Connections that exist only for a test, served by a function that records what happens to them. */
import type {
  AcceptedConnection,
  ServeConnection,
} from "../../../src/machine/http_server/serve_connection.ts";

/** What a test holds of an accepted connection. */
export interface FakeConnection {
  readonly accepted: AcceptedConnection;
  readonly isClosed: boolean;
  /** Begins a request; the function that is returned ends it. */
  request(): () => Promise<void>;
}

interface Served {
  readonly handler: (request: Request, info: { readonly completed: Promise<void> }) => unknown;
  isClosed: boolean;
}

/** Creates connections and serves them. */
export class FakeNetwork {
  readonly #served = new Map<AcceptedConnection, Served>();

  /** Serves a connection until its signal is aborted. */
  readonly serve: ServeConnection = (accepted, signal, handler) => {
    const finished = Promise.withResolvers<void>();
    const served: Served = { handler, isClosed: false };
    const close = () => {
      served.isClosed = true;
      finished.resolve();
    };
    signal.addEventListener("abort", close);
    this.#served.set(accepted, served);
    return { finished: finished.promise, shutdown: () => Promise.resolve(close()) };
  };

  /** A connection from an address. */
  connect(hostname = "192.0.2.1"): FakeConnection {
    const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname, port: 1 };
    const accepted = { remoteAddr, setNoDelay: () => {} };
    const served = () => this.#served.get(accepted);
    return {
      accepted,
      get isClosed() {
        return served()?.isClosed ?? false;
      },
      request() {
        const completed = Promise.withResolvers<void>();
        served()?.handler(new Request("http://localhost/"), { completed: completed.promise });
        return async () => {
          completed.resolve();
          await completed.promise;
        };
      },
    };
  }
}
