/** A server of KV Connect whose responses a test chooses. */
import { systemClock } from "../../../src/base/time/clock.ts";
import type { ConnectionOptions } from "../../../src/store/kv_connect/connection.ts";
import { ProtoWriter } from "../../../src/store/kv_connect/protobuf.ts";

/** A response, or what it is made from. */
type Respond = (request: Request) => Response | Promise<Response>;

/** What the server does, by kind of request; absent: it succeeds. */
interface Behaviour {
  metadata?: Respond;
  read?: Respond;
  write?: Respond;
}

/** Listens on a free port of this machine. */
export class FakeServer implements AsyncDisposable {
  readonly behaviour: Behaviour = {};
  /** Paths of the requests that came. */
  readonly paths: string[] = [];
  /** Data tokens are `data-1`, `data-2`, …; this many were given. */
  tokens = 0;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
      const { pathname } = new URL(request.url);
      this.paths.push(pathname);
      return this.#respond(pathname, request);
    });
  }

  /** How to connect to it. */
  get options(): ConnectionOptions {
    const { port } = this.#server.addr;
    return { url: `http://127.0.0.1:${port}/connect`, token: "secret", clock: systemClock };
  }

  /** Metadata that expires then. */
  metadata(expiresAt = Date.now() + 86_400_000): Response {
    return Response.json({
      version: 3,
      databaseId: "d",
      endpoints: [{ url: "/old", consistency: "eventual" }, { url: "/v2", consistency: "strong" }],
      token: `data-${++this.tokens}`,
      expiresAt: new Date(expiresAt).toISOString(),
    });
  }

  /** Requests of a path that came. */
  count(path: string): number {
    return this.paths.filter((other) => other === path).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  #respond(path: string, request: Request): Response | Promise<Response> {
    const { metadata, read, write } = this.behaviour;
    if (path === "/connect") return metadata?.(request) ?? this.metadata();
    if (path === "/v2/snapshot_read") return read?.(request) ?? emptyRead();
    return write?.(request) ?? written();
  }
}

/** A successful write. */
export function written(status = 1): Response {
  const writer = new ProtoWriter();
  writer.number(1, status);
  writer.byteString(2, new Uint8Array(10).fill(7));
  return new Response(writer.bytes);
}

/** A read that found nothing. */
function emptyRead(): Response {
  return readResponse(() => {});
}

/** A read of one range; `entries` writes what was found. */
export function readResponse(
  entries: (writer: ProtoWriter) => void,
  { status = 1, isStrong = 1 } = {},
): Response {
  const writer = new ProtoWriter();
  writer.message(1, () => entries(writer));
  writer.number(4, isStrong);
  writer.number(8, status);
  return new Response(writer.bytes);
}
