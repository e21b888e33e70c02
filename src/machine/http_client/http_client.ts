/**
 * Sends the requests of tasks, triggers and expressions. Each uses a new connection, so none is ever sent twice: with a
 * reused connection that breaks it is unknown whether the server has processed the request.
 */
import { lookup } from "node:dns/promises";
import type { Clock } from "../../base/time/clock.ts";
import { type IpBytes, parseIp, unbracketed } from "../../base/network/ip.ts";
import { shownUri } from "../../base/network/shown_uri.ts";
import {
  type HostPort,
  type HttpClientPort,
  HttpError,
  type HttpRequest,
  type HttpResponse,
  type NamedText,
} from "../../model/ports/http.ts";
import { AddressPolicy, type AddressRules } from "./address_policy.ts";
import { responseBody } from "./response_body.ts";
import { type ResponseHead, ResponseReader, valuesOf } from "./response_reader.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { digestCredentials } from "./digest.ts";
import { firstHop, type Hop, isSameOrigin, locationOf, redirected } from "./hop.ts";
import { openSocks, openTunnel, proxyHeaders } from "./proxies.ts";
import { RequestWriter } from "./request_writer.ts";

/** Most redirections of one request. */
const MAX_REDIRECTS = 20;
/** Longest wait for one of several addresses to accept a connection. */
const PROBE_MS = 5_000;

/** Options of the client. */
export interface HttpClientOptions {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly addresses?: AddressRules;
  /** Whether the server has a login or several tenants: then internal addresses are denied. By default it has not. */
  readonly isShared?: () => boolean;
  readonly userAgent: string;
  /** Resolves a name; by default the resolver of the machine. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** A response with its open connection. */
interface OpenResponse {
  readonly connection: Connection;
  readonly reader: ResponseReader;
  readonly head: ResponseHead;
}

/** The HTTP client. */
export class HttpClient implements HttpClientPort {
  readonly #options: HttpClientOptions;
  readonly #policy: AddressPolicy;
  readonly #resolve: (host: string) => Promise<readonly string[]>;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#policy = new AddressPolicy(options.addresses ?? {}, options.isShared ?? (() => false));
    this.#resolve = options.resolve ?? addressesOf;
  }

  /** @inheritdoc */
  async send(request: HttpRequest): Promise<HttpResponse> {
    let hop = firstHop(request);
    try {
      for (let count = 0; count <= MAX_REDIRECTS; count++) {
        const response = await this.#exchange(hop);
        const location = request.options.followRedirects ? locationOf(response.head) : undefined;
        if (location === undefined) return toResponse(hop, response);
        response.connection.close();
        hop = redirected(hop, response.head.code, location);
      }
      throw new HttpError(`more than ${MAX_REDIRECTS} redirections`);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      throw new HttpError(`Cannot ${hop.method} "${shownUri(hop.url.href)}": ${error.message}`);
    }
  }

  /** @inheritdoc */
  async addressOf({ host, port }: HostPort, signal?: AbortSignal): Promise<string> {
    const allowed = await this.#allowedAddresses(host);
    const [first, second] = allowed;
    if (first === undefined) throw new HttpError(`the name "${shownUri(host)}" has no address`);
    // A name such as localhost often has an IPv6 address where the server listens on the IPv4 one only.
    const isAccepting = (address: string) => this.#isAccepting({ host: address, port }, signal);
    if (second === undefined) return first;
    for (const address of allowed) if (await isAccepting(address)) return address;
    return first;
  }

  async #isAccepting(target: HostPort, signal?: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    const limits = { clock, isTls: false, connectTimeoutMs: PROBE_MS, readIdleTimeoutMs: PROBE_MS, signal };
    try {
      (await Connection.open(target, limits)).close();
      return true;
    } catch (error) {
      if (error instanceof HttpError && !signal?.aborted) return false;
      throw error;
    }
  }

  /** Repeats the request after a digest challenge, as the protocol requires: the first one had no effect. */
  async #exchange(hop: Hop): Promise<OpenResponse> {
    const { auth } = hop.request.options;
    const response = await this.#exchangeOnce(hop);
    if (auth?.type !== "DIGEST" || response.head.code !== 401 || !isSameOrigin(hop)) return response;
    const challenge = valuesOf(response.head, "www-authenticate")
      .find((text) => /^\s*digest\b/i.test(text));
    const { url, method } = hop;
    const nonce = Math.floor(this.#options.random() * 2 ** 48).toString(16);
    const credentials = challenge &&
      digestCredentials(challenge, { ...auth, method, target: url.pathname + url.search, nonce });
    if (!credentials) return response;
    response.connection.close();
    return await this.#exchangeOnce({ ...hop, credentials });
  }

  async #exchangeOnce(hop: Hop): Promise<OpenResponse> {
    const connection = await this.#connect(hop);
    try {
      const { url, body, request: { options: { proxy } } } = hop;
      const isForwarded = proxy?.type === "HTTP" && url.protocol === "http:";
      const target = isForwarded ? `${url.origin}${url.pathname}${url.search}` : url.pathname + url.search;
      const headers = this.#headersOf(hop);
      if (isForwarded) headers.push(...proxyHeaders(proxy));
      const writer = new RequestWriter(connection);
      await writer.head({ method: hop.method, target }, headers);
      if (body) await writer.body(body.open(), body.size);
      await writer.flush();
      const reader = new ResponseReader(connection);
      return { connection, reader, head: await reader.head() };
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  #headersOf({ method, url, headers, body, credentials }: Hop): NamedText[] {
    const names = new Set(headers.map(([name]) => name.toLowerCase()));
    const own: NamedText[] = [
      ["Host", url.host],
      ["User-Agent", this.#options.userAgent],
      ["Accept", "*/*"],
      ["Accept-Encoding", "gzip"],
    ];
    if (credentials !== undefined) own.push(["Authorization", credentials]);
    if (body) own.push(["Content-Type", body.contentType]);
    const kept = headers.filter(([name]) => !FRAMING.has(name.toLowerCase()));
    const all = [...own.filter(([name]) => !names.has(name.toLowerCase())), ...kept];
    if (body?.size !== undefined) all.push(["Content-Length", String(body.size)]);
    else if (body) all.push(["Transfer-Encoding", "chunked"]);
    else if (WITH_BODY.has(method)) all.push(["Content-Length", "0"]);
    return [...all, ["Connection", "close"]];
  }

  async #connect({ url, request }: Hop): Promise<Connection> {
    const { options: { proxy, isInsecure, tls, connectTimeoutMs, readIdleTimeoutMs }, signal } = request;
    const isTls = url.protocol === "https:";
    const host = unbracketed(url.hostname);
    const port = Number(url.port || (isTls ? 443 : 80));
    const limits = { clock: this.#options.clock, isTls, connectTimeoutMs, readIdleTimeoutMs, signal };
    if (proxy && parseIp(host)) this.#checkAddresses(host, [host]);
    const connection = await this.#dial(
      proxy ? { host: proxy.address, port: proxy.port } : { host, port },
      limits,
    );
    try {
      if (proxy?.type === "SOCKS") await openSocks(connection, proxy, { host, port });
      else if (proxy && isTls) await openTunnel(connection, proxy, { host, port });
      if (isTls) await connection.startTls({ ...tls, serverName: host, isInsecure });
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Names are resolved once; the connection goes to a checked address. */
  async #dial(
    { host, port }: HostPort,
    options: ConnectionOptions,
  ): Promise<Connection> {
    let failure: unknown;
    const allowed = this.#allowedAddresses(host);
    // The wait for the connection begins at once where there is no name to resolve.
    for (const address of allowed instanceof Promise ? await allowed : allowed) {
      try {
        return await Connection.open({ host: address, port }, options);
      } catch (error) {
        failure = error;
        if (options.signal?.aborted) break;
      }
    }
    throw failure ?? new HttpError(`the name "${shownUri(host)}" has no address`);
  }

  #allowedAddresses(host: string): readonly string[] | Promise<readonly string[]> {
    const bytes = parseIp(host);
    if (bytes) return this.#checkAddresses(host, [plainAddress(host, bytes)]);
    return this.#resolve(host).then((found) => this.#checkAddresses(host, found));
  }

  #checkAddresses(host: string, addresses: readonly string[]): readonly string[] {
    const allowed = addresses.filter((address) => this.#policy.refusal(address) === undefined);
    const [first] = addresses;
    if (allowed.length > 0 || first === undefined) return allowed;
    const shown = parseIp(host) ? `address "${host}"` : `address "${first}" of "${shownUri(host)}"`;
    throw new HttpError(`the ${shown} may not be reached from here: ${this.#policy.refusal(first)}`);
  }
}

const FRAMING: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection"]);
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

function toResponse({ method, url, request }: Hop, { connection, reader, head }: OpenResponse): HttpResponse {
  const headers = new Map<string, string[]>();
  const lists = new Map<string, string[]>();
  for (const [name, value] of head.headers) {
    const key = name.toLowerCase();
    const list = lists.get(key) ?? [];
    if (list.length === 0) headers.set(name, list);
    lists.set(key, list);
    list.push(value);
  }
  const body = responseBody(reader.body(head, method), {
    encoding: lists.get("content-encoding")?.join(","),
    maxBytes: request.options.maxBytes,
    where: () => `Cannot ${method} "${shownUri(url.href)}"`,
    close: () => connection.close(),
  });
  return { code: head.code, uri: url.href, headers, body };
}

/** The canonical address: some resolvers read "127.0.0.010" as octal, which would differ from the checked one. */
function plainAddress(host: string, bytes: IpBytes): string {
  return bytes.length === 4 && !host.includes(":") ? bytes.join(".") : host;
}

async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    const shown = shownUri(host);
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    throw new HttpError(
      code === "ENOTFOUND"
        ? `the name "${shown}" is not known`
        : `the name "${shown}" cannot be resolved: ${(error as Error).message}`,
    );
  }
}
