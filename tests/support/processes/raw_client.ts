/** HTTP as bytes: what a test sends is what the server receives. */

/** A connection that is closed with its scope. */
export class RawClient implements Disposable {
  readonly #connection: Deno.TcpConn;
  #isClosed = false;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Connects to a server of this machine. */
  static async connect({ port }: Deno.NetAddr): Promise<RawClient> {
    return new RawClient(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Sends a text. */
  async send(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    for (let sent = 0; sent < bytes.length;) sent += await this.#connection.write(bytes.subarray(sent));
  }

  /** All that comes up to the text, or up to the end of the connection. */
  async readTo(end: string): Promise<string> {
    const pieces: string[] = [];
    const buffer = new Uint8Array(65_536);
    let tail = "";
    while (!tail.includes(end)) {
      const count = await this.#connection.read(buffer);
      if (count === null) break;
      const piece = new TextDecoder().decode(buffer.subarray(0, count));
      pieces.push(piece);
      tail = tail.slice(-end.length) + piece;
    }
    return pieces.join("");
  }

  /** All that comes until the server closes the connection. */
  async readAll(): Promise<string> {
    return await this.readTo("\0never sent");
  }

  /** Closes the connection. */
  [Symbol.dispose](): void {
    if (!this.#isClosed) this.#connection.close();
    this.#isClosed = true;
  }
}
