/** A reader of an event stream over a connection of its own, which tells what has come without parsing it. */

const BUFFER_BYTES = 65_536;
/** Texts that are waited for may be cut in two by the pieces that a stream comes in. */
const TAIL_CHARS = 100;
const EVENT = /(?:^|\n)data: /g;

/** One follower. Dispose of it to leave. */
export class FollowClient implements Disposable {
  readonly #connection: Deno.TcpConn;
  readonly #decoder = new TextDecoder();
  readonly #ended = Promise.withResolvers<number>();
  readonly #seen = new Map<string, PromiseWithResolvers<number>>();
  #events = 0;
  #tail = "";
  #isClosed = false;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Asks for a stream. `marks` are the texts that {@link seen} may be asked for. */
  static async connect(url: string, path: string, marks: readonly string[]): Promise<FollowClient> {
    const { hostname, port, host } = new URL(url);
    const connection = await Deno.connect({ hostname, port: Number(port) });
    connection.setNoDelay(true);
    const follower = new FollowClient(connection);
    for (const mark of marks) follower.#seen.set(mark, Promise.withResolvers<number>());
    const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    void follower.#read();
    return follower;
  }

  /** Events that have come so far. */
  get events(): number {
    return this.#events;
  }

  /** When the text came, in milliseconds since 1970. @throws Error when the stream ends without it */
  async seen(mark: string): Promise<number> {
    return await (this.#seen.get(mark)?.promise ?? Promise.reject(new Error(`Nobody looks for "${mark}"`)));
  }

  /** When the stream has ended in good order. @throws Error when the server refused or broke off */
  async ended(): Promise<number> {
    return await this.#ended.promise;
  }

  /** Leaves. */
  [Symbol.dispose](): void {
    if (!this.#isClosed) this.#connection.close();
    this.#isClosed = true;
  }

  async #read(): Promise<void> {
    const buffer = new Uint8Array(BUFFER_BYTES);
    let isFirst = true;
    try {
      for (;;) {
        const count = await this.#connection.read(buffer);
        if (count === null) throw new Error("The server broke off");
        const at = Date.now();
        const text = this.#decoder.decode(buffer.subarray(0, count), { stream: true });
        if (isFirst && !text.startsWith("HTTP/1.1 200")) {
          throw new Error(`Cannot follow: ${text.slice(0, 300)}`);
        }
        isFirst = false;
        if (this.#take(text, at)) return;
      }
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this[Symbol.dispose]();
    }
  }

  /** True at the end of the stream: the chunk of no bytes. */
  #take(text: string, at: number): boolean {
    const seen = this.#tail + text;
    // A mark in the tail was counted before; one that begins there and ends here was not.
    this.#events += countOf(seen) - countOf(this.#tail);
    for (const [mark, found] of this.#seen) if (seen.includes(mark)) found.resolve(at);
    this.#tail = seen.slice(-TAIL_CHARS);
    if (!seen.endsWith("\r\n0\r\n\r\n")) return false;
    this.#ended.resolve(at);
    this.#fail(new Error("The stream has ended"));
    return true;
  }

  /** Changes nothing for those who have their answer. */
  #fail(error: Error): void {
    for (const { promise, reject } of [this.#ended, ...this.#seen.values()]) {
      promise.catch(() => {});
      if (!this.#isClosed) reject(error);
    }
  }
}

function countOf(text: string): number {
  return text.match(EVENT)?.length ?? 0;
}
