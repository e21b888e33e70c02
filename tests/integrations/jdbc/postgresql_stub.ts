/** A server of the PostgreSQL protocol that answers what a test says. */
import { Buffer } from "node:buffer";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

const CANCEL = 80_877_102;
const QUERY = "Q";

/** Bytes that the server sends; `undefined`: it is silent. */
export type StubAnswer = Buffer | undefined;

/** What a client sent: `startup`, or the text of a query. */
type StubRequest = "startup" | { readonly sql: string };

/** An integer of the protocol. */
export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** A message of the protocol. */
export function message(code: string, content: string | Buffer): Buffer {
  const body = Buffer.from(content as string);
  return Buffer.concat([Buffer.from(code), int32(4 + body.length), body]);
}

/** The server waits for a query. */
export const READY = message("Z", "I");
/** The log-in has succeeded. */
export const LOGGED_IN = Buffer.concat([
  message("R", int32(0)),
  message("K", Buffer.concat([int32(7), int32(8)])),
  READY,
]);

/** Lets the client log in and configure its session; `answer` gets the other statements. */
export function answering(answer: (sql: string) => StubAnswer): (request: StubRequest) => StubAnswer {
  return (request) => {
    if (request === "startup") return LOGGED_IN;
    return request.sql.startsWith("SET ")
      ? Buffer.concat([message("C", "SET\0"), READY])
      : answer(request.sql);
  };
}

/** Listens until it is disposed of. */
export class PostgresqlStub implements AsyncDisposable {
  /** Requests of cancellation. */
  cancellations = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #answer: (request: StubRequest) => StubAnswer;

  private constructor(answer: (request: StubRequest) => StubAnswer, keepsOpen: boolean) {
    this.#answer = answer;
    this.#server = createServer({ allowHalfOpen: keepsOpen }, (socket) => this.#serve(socket));
  }

  /** Starts; with `keepsOpen` it closes no connection, whatever the client does. */
  static async start(
    answer: (request: StubRequest) => StubAnswer,
    { keepsOpen = false } = {},
  ): Promise<PostgresqlStub> {
    const stub = new PostgresqlStub(answer, keepsOpen);
    await new Promise<void>((resolve) => stub.#server.listen(0, "127.0.0.1", resolve));
    return stub;
  }

  /** Its port. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Closes every connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket)).on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      const request = requestOf(bytes);
      if (request === "cancel") return void this.cancellations++;
      const answer = request && this.#answer(request);
      if (answer) socket.write(answer);
    });
  }
}

function requestOf(bytes: Buffer): "cancel" | StubRequest | undefined {
  if (bytes[0] === 0) return bytes.readInt32BE(4) === CANCEL ? "cancel" : "startup";
  const isQuery = String.fromCharCode(bytes[0] ?? 0) === QUERY;
  return isQuery ? { sql: bytes.toString("utf8", 5, bytes.length - 1) } : undefined;
}
