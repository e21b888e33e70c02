/**
 * Finds out whether a server of `node:net` still accepts connections. After the process has run out of file descriptors, that
 * of Deno accepts none any more, without an error event, although it still listens: connections wait until they time out.
 */
import { connect, type Socket } from "node:net";

/** Sweeps without a connection after which it connects itself. */
const QUIET_SWEEPS = 10;
/** Sweeps until its connection must have been accepted. */
const WAIT_SWEEPS = 3;

/** What the probe connects to. */
interface Address {
  readonly hostname: string;
  readonly port: number;
}

/** The probe of one server; `accepted` and `sweep` must be called. */
export class AcceptProbe {
  readonly #connect: () => Socket;
  #socket: Socket | undefined;
  #hasFailed = false;
  #quietSweeps = 0;

  constructor({ hostname: host, port }: Address, open: typeof connect = connect) {
    this.#connect = () => open({ host, port });
  }

  /** The server has accepted a connection, perhaps that of the probe. */
  accepted(): void {
    this.#quietSweeps = 0;
  }

  /** Called once a second; true: the server does not accept any more and must listen again. */
  sweep(): boolean {
    const quiet = ++this.#quietSweeps;
    if (quiet === QUIET_SWEEPS) this.#begin();
    else if (quiet < QUIET_SWEEPS) this.end();
    if (quiet < QUIET_SWEEPS + WAIT_SWEEPS) return false;
    this.#quietSweeps = 0;
    this.end();
    return !this.#hasFailed;
  }

  /** Closes its connection, if it has one. */
  end(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #begin(): void {
    this.#hasFailed = false;
    const socket = this.#connect();
    // A connection that fails, for example because no descriptor is free, does not show whether the server accepts.
    socket.on("error", () => this.#hasFailed = true);
    // Closed without data: a server that reads a message until its end gets an empty one.
    socket.end();
    socket.unref();
    this.#socket = socket;
  }
}
