/** Refuses connections with a short 503. */
import type { Clock } from "../../base/time/clock.ts";

const BODY = "The server has too many open connections\n";
/** The response to a connection beyond the limit, as it is sent. */
export const REFUSAL = new TextEncoder().encode(
  "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Type: text/plain\r\n" +
    "X-Content-Type-Options: nosniff\r\n" +
    `Content-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`,
);
/** Refused connections that are open at once; further ones are closed without a response. */
const MAX_REFUSALS = 64;
/** A connection that is closed before its request was read is reset, and the client may lose the response. */
const MAX_LINGER_MS = 1_000;

/** The connections that are being refused. */
export class Refusals {
  readonly #clock: Clock;
  readonly #open = new Set<Deno.TcpConn>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends the response and closes the connection; settles when it is closed. */
  async refuse(connection: Deno.TcpConn): Promise<void> {
    if (this.#open.size >= MAX_REFUSALS) return connection.close();
    this.#open.add(connection);
    const cancel = this.#clock.setTimer(MAX_LINGER_MS, () => this.#close(connection));
    try {
      await connection.write(REFUSAL);
      await connection.closeWrite();
      const rest = new Uint8Array(4_096);
      while (await connection.read(rest) !== null) continue;
    } catch {
      // The client or the time limit closed it.
    } finally {
      cancel();
      this.#close(connection);
    }
  }

  /** Closes all. */
  close(): void {
    for (const connection of this.#open) this.#close(connection);
  }

  #close(connection: Deno.TcpConn): void {
    if (this.#open.delete(connection)) connection.close();
  }
}
