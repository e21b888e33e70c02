/** A server in the benchmark's own process that takes uploads of S3, whole or in parts, and keeps nothing of them. */

/** A running one. Dispose of it to stop it. */
export class ObjectSink implements AsyncDisposable {
  /** Address without a trailing slash. */
  readonly url: string;
  /** Bytes of all bodies so far. */
  received = 0;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  private constructor() {
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, (request) => this.#take(request));
    this.url = `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Starts one on a free port. */
  static start(): ObjectSink {
    return new ObjectSink();
  }

  async #take(request: Request): Promise<Response> {
    for await (const { length } of request.body ?? []) this.received += length;
    const { searchParams } = new URL(request.url);
    if (searchParams.has("uploads")) {
      return new Response(
        "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>",
      );
    }
    if (request.method === "POST") {
      return new Response(
        "<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>",
      );
    }
    return new Response("", { headers: { etag: '"1"' } });
  }

  /** Stops it in good order. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
