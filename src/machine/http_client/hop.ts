/** What is sent to one server after the other, from a request to the end of its redirections. Decides only. */
import { basicCredentials, isContentType } from "../../model/http/http_request.ts";
import { type HttpBody, HttpError, type HttpRequest, type NamedText } from "../../model/ports/http.ts";
import { type ResponseHead, valuesOf } from "./response_reader.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const PERSONAL: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization"]);

/** What is sent to one server: the request itself, or what a redirection has made of it. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly NamedText[];
  readonly body?: HttpBody;
  readonly request: HttpRequest;
  /** `Authorization` header; not passed on to other servers. */
  readonly credentials?: string;
}

/** The request itself. */
export function firstHop(request: HttpRequest): Hop {
  const { method, headers, body, options: { auth } } = request;
  const url = new URL(request.uri);
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

/** True where what is sent goes to the server that the request was meant for. */
export function isSameOrigin({ url, request }: Hop): boolean {
  return url.origin === new URL(request.uri).origin;
}

/** Where an answer sends its reader; `undefined` for one that is no redirection. */
export function locationOf(head: ResponseHead): string | undefined {
  return REDIRECTS.has(head.code) ? valuesOf(head, "location")[0] || undefined : undefined;
}

/** What to send to the location of a redirection. Credentials stay with the server they are for. @throws HttpError */
export function redirected(hop: Hop, code: number, location: string): Hop {
  if (!URL.canParse(location, hop.url.href)) throw new HttpError("the redirection leads to no address");
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
      !(becomesGet && isContentType(header)) && (isSame || !PERSONAL.has(header[0].toLowerCase())) &&
      header[0].toLowerCase() !== "host"
    ),
  };
}

/** Takes away what no server is sent in an address. Each assignment would parse it again. */
function strip(url: URL): void {
  if (url.username) url.username = "";
  if (url.password) url.password = "";
  if (url.hash) url.hash = "";
}

function decoded(text: string): string {
  return /%(?![0-9a-f]{2})/i.test(text) ? text : decodeURIComponent(text);
}
