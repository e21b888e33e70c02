/** HTTP on one accepted connection, by a function of Deno that is not part of its public interface. */

/** What a server reads and sets of an accepted connection. */
export type AcceptedConnection = Pick<Deno.TcpConn, "remoteAddr" | "setNoDelay">;

/** HTTP that is served on a connection. */
export interface ConnectionServer {
  /** Settles when the connection is over. */
  readonly finished: Promise<void>;
  /** Lets requests under way end, then closes the connection; an idle one at once. */
  shutdown(): Promise<void>;
}

/** What Deno passes with a request. */
interface RequestInfo {
  /** Settles when the response was handed to the system; that of a stream, when the stream is over. */
  readonly completed: Promise<void>;
}

/** All that it uses of an `AbortSignal`. A real one would report what `close` throws, and so end the process. */
export interface CloseSignal {
  /** `close` closes the connection at once, whatever is under way on it. It throws when the connection is closing already. */
  addEventListener(type: "abort", close: () => void): void;
}

/** Serves HTTP on a connection of its own listener, which it takes over. */
export type ServeConnection = (
  connection: AcceptedConnection,
  signal: CloseSignal,
  handler: (request: Request, info: RequestInfo) => Response | Promise<Response>,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => ConnectionServer;

/**
 * The function of this version of Deno; `undefined` if this version lacks it. `Deno.serve` uses its sibling for listeners. It
 * closes no connection that sends nothing, and ends when the process has no file descriptor left.
 */
export function findServeConnection(): ServeConnection | undefined {
  const deno = Deno as unknown as { readonly internal?: symbol } & Record<symbol, Record<string, unknown>>;
  const found = deno.internal && deno[deno.internal]?.serveHttpOnConnection;
  return typeof found === "function" ? found as ServeConnection : undefined;
}
