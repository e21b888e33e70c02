/** Requests of clients that arrive by way of another process. */
import { rawQuery } from "../../http/forms/params.ts";
import { rawPath } from "../../http/pipeline/canonical_path.ts";
import type { ClientFacts } from "./carrier.ts";

/** What the platform states of the connection of a request. */
export interface RemoteEnv {
  readonly remoteAddr: Deno.NetAddr;
}

interface ClientRequestInit {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly signal: AbortSignal;
  readonly client: ClientFacts;
}

/** Path and query of a URL as sent; nothing is decoded or resolved. */
export function targetOf(url: string): string {
  return rawPath(url) + rawQuery(url);
}

/** The request as the client sent it, with the address of its connection; `undefined` if host and target are no URL. */
export function clientRequest(
  { method, target, headers, body, signal, client }: ClientRequestInit,
): { readonly request: Request; readonly env: RemoteEnv } | undefined {
  const { scheme, host, remoteAddress = "unknown" } = client;
  const url = `${scheme}://${host}${target}`;
  if (!URL.canParse(url)) return undefined;
  headers.set("host", host);
  const request = new Request(url, { method, headers, body, signal });
  // `Request` resolves dot segments, which routes must see as they were sent.
  if (request.url !== url) Object.defineProperty(request, "url", { value: url });
  return { request, env: { remoteAddr: { transport: "tcp", hostname: remoteAddress, port: 0 } } };
}
