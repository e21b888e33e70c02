/** Takes a request of a client apart for its way to the leader. */
import { authorityOf } from "../../http/pipeline/guard.ts";
import type { NamedText } from "../../model/ports/http.ts";
import type { CarriedRequest } from "./carrier.ts";
import { CLIENT_FACTS_HEADER } from "./client_facts.ts";
import { targetOf } from "./client_request.ts";
import { endToEndHeaders } from "./end_to_end_headers.ts";
import { KeptBody } from "./kept_body.ts";

/** Headers that are written anew. A client could forge the facts of the client, and this process has already continued an `Expect`. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "content-length",
  "expect",
  "host",
  "via",
  "x-request-id",
  CLIENT_FACTS_HEADER,
]);
/** RFC 9110, section 7.6.3: the protocol of the received request, and a name of the proxy. */
const VIA = "1.1 sluice";

interface Connection {
  readonly remoteAddress?: string;
  readonly requestId: string;
}

/** The request as it is passed on. `Forwarded` and `X-Forwarded-For` stay: the leader judges them as from the same peer. */
export function carriedRequest(request: Request, { remoteAddress, requestId }: Connection): CarriedRequest {
  const { method, url, headers, body, signal } = request;
  const { protocol } = URL.parse(url) ?? { protocol: "http:" };
  const kept = endToEndHeaders(headers).filter(([name]) => !OWN_HEADERS.has(name));
  const via = headers.get("via");
  const size = headers.get("content-length");
  return {
    method,
    target: targetOf(url),
    headers: [...kept, ["via", via === null ? VIA : `${via}, ${VIA}`], [
      "x-request-id",
      requestId,
    ]] as NamedText[],
    // Also a request without one has a stream here where its size is stated.
    body: body === null || size === "0"
      ? undefined
      : new KeptBody(body, size === null ? undefined : Number(size)),
    client: {
      remoteAddress,
      host: authorityOf(url),
      scheme: protocol === "https:" ? "https" : "http",
    },
    signal,
  };
}
