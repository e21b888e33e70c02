/** One accepted connection: counts its requests under way and notifies its owner when it becomes busy or idle. */
import { attachWatcher, type TransferWatcher } from "../../model/http/transfer_watch.ts";
import type { IdleEntry, IdleList } from "./idle_list.ts";
import type { AcceptedConnection, CloseSignal, ServeConnection } from "./serve_connection.ts";

/** Handles the requests of a server. */
export type HttpHandler = (
  request: Request,
  connection: { readonly remoteAddr: Deno.NetAddr },
) => Response | Promise<Response>;

/** How the connections of a server are served. */
export interface ConnectionOptions {
  readonly serve: ServeConnection;
  readonly handler: HttpHandler;
  /** The response to a request whose handler threw. */
  readonly onError: (error: unknown) => Response;
  readonly watcher: TransferWatcher;
}

/** Hears of the states of connections. */
interface ConnectionOwner {
  /** A first request is under way. */
  onBusy(connection: Connection): void;
  /** No request is under way. */
  onIdle(connection: Connection): void;
  /** The connection is over. */
  onClosed(connection: Connection): void;
}

const ignore = () => {};

/** A connection; created with no request under way. Some 15 KB, 30 KB after its first request. */
export class Connection implements IdleEntry<Connection>, CloseSignal {
  previous?: Connection;
  next?: Connection;
  list?: IdleList<Connection>;
  /** Time of the owner at which it became idle. */
  idleSince = 0;
  readonly remoteAddr: Deno.NetAddr;
  /** The network of its address, whose connections are counted together. */
  readonly network: string;
  readonly #options: ConnectionOptions;
  readonly #owner: ConnectionOwner;
  readonly #shutdown: () => Promise<void>;
  readonly #finished: Promise<void>;
  #close: () => void = ignore;
  #underWay = 0;

  constructor(
    accepted: AcceptedConnection,
    network: string,
    options: ConnectionOptions,
    owner: ConnectionOwner,
  ) {
    this.remoteAddr = accepted.remoteAddr as Deno.NetAddr;
    this.network = network;
    this.#options = options;
    this.#owner = owner;
    accepted.setNoDelay(true);
    const server = options.serve(accepted, this, this.#handle, options.onError, ignore);
    this.#shutdown = () => server.shutdown();
    const onClosed = () => owner.onClosed(this);
    // Rejects when the client breaks the protocol or the connection.
    this.#finished = server.finished.then(onClosed, onClosed);
  }

  /** @inheritdoc */
  addEventListener(_type: "abort", close: () => void): void {
    this.#close = close;
  }

  /** Closes it at once. */
  close(): void {
    try {
      this.#close();
    } catch {
      // It is closing already.
    }
  }

  /** Lets its requests under way end and closes it; settles when it is closed. */
  async drain(): Promise<void> {
    await this.#shutdown().catch(ignore);
    await this.#finished;
  }

  /** HTTP/2 has several requests under way at once. */
  readonly #handle = (request: Request, info: { readonly completed: Promise<void> }) => {
    if (this.#underWay++ === 0) this.#owner.onBusy(this);
    info.completed.then(this.#onCompleted, this.#onCompleted);
    attachWatcher(request, this.#options.watcher);
    return this.#options.handler(request, this);
  };

  readonly #onCompleted = () => {
    if (--this.#underWay === 0) this.#owner.onIdle(this);
  };
}
