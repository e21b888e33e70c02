/** A server of bytes: it notes what it is sent and answers what a test says, well-formed or not. */

/** What a connection does with a request: the text of an answer, or whatever it likes with the connection itself. */
export type Behaviour = (
  request: ReceivedRequest,
  connection: Deno.Conn,
) => string | void | Promise<string | void>;

/** A request as it arrived. */
export interface ReceivedRequest {
  /** Request line and headers. */
  readonly head: string;
  readonly body: string;
}

/** Listens on a free port of this machine until it is disposed of. */
export class MisbehavingServer implements AsyncDisposable {
  /** In the order of their arrival. */
  readonly requests: ReceivedRequest[] = [];
  readonly #listener: Deno.Listener;
  readonly #behaviour: Behaviour;
  readonly #connections = new Set<Deno.Conn>();
  readonly #work = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;

  constructor(
    behaviour: Behaviour,
    listener: Deno.Listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  ) {
    this.#behaviour = behaviour;
    this.#listener = listener;
    this.#accepting = this.#accept();
  }

  /** Its port. */
  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  /** Its address, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Closes every connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#connections) close(connection);
    await this.#accepting;
    await Promise.all([...this.#work]);
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      this.#connections.add(connection);
      const work = this.#serve(connection).catch(() => {}).finally(() => {
        this.#connections.delete(connection);
        this.#work.delete(work);
        close(connection);
      });
      this.#work.add(work);
    }
  }

  /** One request a connection. */
  async #serve(connection: Deno.Conn): Promise<void> {
    const request = await readRequest(connection);
    if (!request) return;
    this.requests.push(request);
    const answer = await this.#behaviour(request, connection);
    if (typeof answer === "string") await writeAll(connection, answer);
  }
}

/** The text of an answer with a body and its length. */
export function answer(code: number, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${code} Whatever\r\n${lines}content-length: ${
    new TextEncoder().encode(body).length
  }\r\n\r\n${body}`;
}

/** Writes a text. */
export async function writeAll(connection: Deno.Conn, text: string | Uint8Array): Promise<void> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

async function readRequest(connection: Deno.Conn): Promise<ReceivedRequest | undefined> {
  let text = "";
  const buffer = new Uint8Array(65_536);
  const decoder = new TextDecoder();
  for (;;) {
    const end = text.indexOf("\r\n\r\n");
    const request = end < 0 ? undefined : { head: text.slice(0, end), body: text.slice(end + 4) };
    if (request && isComplete(request)) return request;
    const count = await connection.read(buffer);
    if (count === null) return request;
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
}

function isComplete({ head, body }: ReceivedRequest): boolean {
  if (/^transfer-encoding: chunked/im.test(head)) return body.endsWith("0\r\n\r\n");
  return new TextEncoder().encode(body).length >= Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It was closed by the behaviour, or by the other side.
  }
}
