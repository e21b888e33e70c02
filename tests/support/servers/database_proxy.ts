/** An HTTP proxy before a database server that cuts, delays and swallows, and lands writes late. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What happens to a request. `cut`: it does not reach the database, and its connection is closed. `swallow`: it reaches the
 * database, its response is lost. `late`: as `cut`, but {@link DatabaseProxy.land} sends it to the database. `hang`: as
 * `late`, and the connection stays open. `slow`: all is well after a while.
 */
export type ProxyFault = "none" | "cut" | "swallow" | "late" | "hang" | "slow";

/** The kind of a request of KV Connect. A watch passes, or is cut. */
export type ProxiedKind = "metadata" | "read" | "write" | "watch";

/** Chooses the fault of a request; `count` numbers those of its kind, from 1. */
export type ProxyPlan = (kind: ProxiedKind, count: number) => ProxyFault;

const SLOW_MS = 5;

interface Forwarded {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Listens on a free port of this machine. */
export class DatabaseProxy implements AsyncDisposable {
  plan: ProxyPlan;
  readonly #target: string;
  readonly #server: Server;
  readonly #counts = new Map<ProxiedKind, number>();
  readonly #late: (() => Promise<Forwarded>)[] = [];

  private constructor(target: string, plan: ProxyPlan) {
    this.#target = target;
    this.plan = plan;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  /** Starts a proxy before the server at `target`. */
  static async start(target: string, plan: ProxyPlan = () => "none"): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(target, plan);
    const { promise: listening, resolve } = Promise.withResolvers<void>();
    proxy.#server.listen(0, "127.0.0.1", resolve);
    await listening;
    return proxy;
  }

  /** Its address. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests of a kind that came so far. */
  count(kind: ProxiedKind): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** Sends what is late to the database, in the order in which it came. */
  async land(): Promise<void> {
    for (const forward of this.#late.splice(0)) await forward();
  }

  /** Closes every connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const kind = kindOf(request.url ?? "");
    const count = this.count(kind) + 1;
    this.#counts.set(kind, count);
    const fault = this.plan(kind, count);
    if (kind === "watch" && fault === "none") return await this.#stream(request, response);
    const send = await this.#prepare(request).catch(() => undefined);
    if (!send) return; // Its sender has ended it.
    const forward = () => send(undefined, readAll);
    if (fault === "late" || fault === "hang") this.#late.push(forward);
    if (fault === "hang") return;
    if (fault === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    const result = fault === "cut" || fault === "late" ? undefined : await forward().catch(() => undefined);
    if (!result || fault === "swallow") return void request.socket.destroy();
    response.writeHead(result.status, Object.fromEntries(result.headers));
    response.end(result.body);
  }

  /** Passes the parts of a response on as they come. */
  async #stream(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const over = new AbortController();
    response.on("close", () => over.abort());
    try {
      const { body, status } = await (await this.#prepare(request))(over.signal, (sent) => sent);
      response.writeHead(status);
      for await (const part of body ?? []) response.write(part);
    } catch {
      // One of both sides is gone.
    }
    response.destroy();
  }

  /** Reads the request; the function that is returned sends it to the database. */
  async #prepare(request: IncomingMessage): Promise<Forward> {
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part);
    const { host: _host, connection: _connection, "transfer-encoding": _encoding, ...headers } =
      request.headers;
    const body = new Blob(parts as BlobPart[]);
    return (signal, read) => {
      const init = {
        method: "POST",
        headers: headers as Record<string, string>,
        body: body.stream(),
        signal,
      };
      return fetch(this.#target + (request.url ?? ""), init).then(read);
    };
  }
}

type Forward = <Result>(
  signal: AbortSignal | undefined,
  read: (response: Response) => Result | Promise<Result>,
) => Promise<Result>;

async function readAll(response: Response): Promise<Forwarded> {
  return { status: response.status, headers: response.headers, body: await response.bytes() };
}

function kindOf(path: string): ProxiedKind {
  if (path.endsWith("/atomic_write")) return "write";
  if (path.endsWith("/watch")) return "watch";
  return path.endsWith("/snapshot_read") ? "read" : "metadata";
}
