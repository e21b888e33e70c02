/** A server in the benchmark's own process that answers every request at once: what requests of flows reach. */

/** A running one. Dispose of it to stop it. */
export class EffectServer implements AsyncDisposable {
  /** Address to request. */
  readonly url: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  private constructor(server: Deno.HttpServer<Deno.NetAddr>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${server.addr.port}/`;
  }

  /** Starts one on a free port. */
  static start(): EffectServer {
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    return new EffectServer(Deno.serve(options, () => new Response("done")));
  }

  /** Stops it in good order. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
