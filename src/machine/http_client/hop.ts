/** The hops of a request and its redirections: what is sent to which server. Pure. */
import { shownUri } from "../../base/network/shown_uri.ts";
import { basicCredentials, isContentType } from "../../model/http/http_request.ts";
import { type HttpBody, HttpError, type HttpRequest, type NamedText } from "../../model/ports/http.ts";
import { type ResponseHead, valuesOf } from "./response_reader.ts";
import { percentDecoded } from "../../model/http/percent_decoding.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Names of headers with credentials: standard ones, and those of many APIs, such as `X-Api-Key`, `Private-Token` and `Mcp-Session-Id`. */
const PERSONAL =
  /authorization|cookie|token|secret|password|credential|session|signature|(?:^|-|api)(?:key|auth)$/i;

/** One hop: the request itself, or its form after a redirection. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly NamedText[];
  readonly body?: HttpBody;
  readonly request: HttpRequest;
  /** `Authorization` header; not sent to other servers. */
  readonly credentials?: string;
}

/** The first hop. @throws HttpError the address is malformed */
export function firstHop(request: HttpRequest): Hop {
  const { method, headers, body, options: { auth } } = request;
  const url = URL.parse(request.uri);
  if (!url) throw new HttpError(`Cannot ${method} "${shownUri(request.uri)}": it is no address`);
  const [username, password] = [decoded(url.username), decoded(url.password)];
  strip(url);
  const credentials = auth?.type === "BEARER"
    ? `Bearer ${auth.token}`
    : auth?.type === "BASIC"
    ? basicCredentials(auth.username, auth.password)
    : !auth && username !== ""
    ? basicCredentials(username, password)
    : undefined;
  return { method, url, headers, body, request, credentials };
}

/** True when the hop goes to the origin of the request. */
export function isSameOrigin({ url, request }: Hop): boolean {
  return url.origin === new URL(request.uri).origin;
}

/** The location of a redirection; `undefined` for other responses. */
export function locationOf(head: ResponseHead): string | undefined {
  return REDIRECTS.has(head.code) ? valuesOf(head, "location")[0] || undefined : undefined;
}

/** The hop after a redirection. Credentials are not sent to other origins. @throws HttpError */
export function redirected(hop: Hop, code: number, location: string): Hop {
  if (!URL.canParse(location, hop.url.href)) throw new HttpError("the redirection has an invalid location");
  const url = new URL(location, hop.url);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new HttpError(`the redirection leads to "${url.protocol}", not to http or https`);
  }
  strip(url);
  const isSame = url.origin === hop.url.origin;
  const becomesGet = code === 303 && hop.method !== "HEAD" ||
    (code === 301 || code === 302) && hop.method === "POST";
  return {
    ...hop,
    url,
    credentials: isSame ? hop.credentials : undefined,
    method: becomesGet ? "GET" : hop.method,
    body: becomesGet ? undefined : hop.body,
    headers: hop.headers.filter((header) =>
      !(becomesGet && isContentType(header)) && (isSame || !PERSONAL.test(header[0])) &&
      header[0].toLowerCase() !== "host"
    ),
  };
}

/** Removes what is never sent. Conditional, since each assignment parses the URL again. */
function strip(url: URL): void {
  if (url.username) url.username = "";
  if (url.password) url.password = "";
  if (url.hash) url.hash = "";
}

function decoded(text: string): string {
  return percentDecoded(text) ?? text;
}
