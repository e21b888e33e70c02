/** A server on this machine in place of the API of another system: it records requests and responds as a test says. */

/** A request as it arrived. */
export interface ApiRequest {
  readonly method: string;
  /** Encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The whole URL. */
  readonly url: string;
}

/** What a stub responds: a response, a value that is sent as JSON, or `undefined` for 404. */
export type ApiReply = Response | object | undefined;

/** Listens on a free port until it is disposed of. */
export class ApiStub implements AsyncDisposable {
  /** In the order of their arrival. */
  readonly requests: ApiRequest[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(reply: (request: ApiRequest, stub: ApiStub) => ApiReply | Promise<ApiReply>) {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (incoming) => {
      const request = await received(incoming);
      this.requests.push(request);
      const result = await reply(request, this);
      if (result instanceof Response) return result;
      return result === undefined ? new Response("Not Found", { status: 404 }) : Response.json(result);
    });
  }

  /** Its address, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Host and port, as errors name them. */
  get host(): string {
    return `127.0.0.1:${this.#server.addr.port}`;
  }

  /** `METHOD path` of each request. */
  get calls(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

async function received(request: Request): Promise<ApiRequest> {
  const bytes = await request.bytes();
  const { pathname, searchParams } = new URL(request.url);
  return {
    method: request.method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: Object.fromEntries(request.headers),
    text: new TextDecoder().decode(bytes),
    bytes,
    url: request.url,
  };
}
