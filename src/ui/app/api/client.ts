/** Calls the API of this server. The UI uses nothing else, so that a script can do all that it can. */
import { apiRoot } from "../core/places.ts";
import { t } from "../texts/mod.ts";

/** A refusal of the server, or a lost connection. */
export class ApiError extends Error {
  /** 0 when the server was not reached. */
  readonly status: number;
  /** What the response says in addition, such as `invalids`. */
  readonly body: unknown;

  constructor(message: string, status: number, body?: unknown) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/** True if another try may succeed: the server was not reached, failed, or has too much to do. */
export function isAway({ status }: ApiError): boolean {
  return status === 0 || status >= 500 || status === 429;
}

/** Values of query parameters; `undefined` and empty ones are left out, lists repeat the parameter. */
export type Query = Readonly<Record<string, string | number | boolean | undefined | readonly string[]>>;

/** A page of a list. */
export interface Page<Item> {
  readonly results: readonly Item[];
  readonly total: number;
}

interface SendOptions {
  readonly query?: Query;
  /** An object is sent as JSON; a form and a text as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly cache?: RequestCache;
}

/** The JSON at a path of the tenant. @throws ApiError */
export async function get<Result>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Result> {
  return await send<Result>("GET", path, { query, signal });
}

/** Sends a request; the JSON of the response, `undefined` without a body. @throws ApiError */
export async function send<Result = unknown>(
  method: string,
  path: string,
  options: SendOptions = {},
): Promise<Result> {
  const text = await sendText(method, path, options);
  return (text === "" ? undefined : dataIn(text)) as Result;
}

/** The same for a response that is a text. @throws ApiError */
export async function sendText(method: string, path: string, options: SendOptions = {}): Promise<string> {
  return await (await request(method, path, options)).text();
}

/** The same for a response that is a file. @throws ApiError */
export async function sendForFile(method: string, path: string, options: SendOptions = {}): Promise<Blob> {
  return await (await request(method, path, options)).blob();
}

async function request(method: string, path: string, options: SendOptions): Promise<Response> {
  const { body, headers } = encoded(options);
  // Without a header `accept`: a response that the document has preloaded is used only for a request without headers.
  const response = await reach(urlOf(path, options.query), {
    method,
    body,
    headers,
    signal: options.signal,
    cache: options.cache,
  });
  if (response.ok) return response;
  if (response.status === 401) goToLogin();
  throw refusalOf(response, await response.text());
}

/** The address of a path with its query, for downloads and streams. Paths that begin with `/api` are no tenant's. */
export function urlOf(path: string, query: Query = {}): string {
  return `${path.startsWith("/api/") ? "" : apiRoot()}${path}${urlQuery(query)}`;
}

/** The part of an address that begins with `?`; empty without parameters. */
export function urlQuery(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== "") parameters.append(name, String(each));
    }
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

function encoded({ body, headers = {} }: SendOptions): { body?: BodyInit; headers: Record<string, string> } {
  if (body === undefined) return { headers: { ...headers } };
  if (typeof body === "string" || body instanceof FormData || body instanceof Blob) {
    return { body, headers: { ...headers } };
  }
  return { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } };
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw notReached();
  }
}

function notReached(): ApiError {
  return new ApiError("The server cannot be reached", 0);
}

/** A success without JSON is not from the API: a proxy may send a page of its own, such as a log-in. */
function dataIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notReached();
  }
}

function refusalOf({ status, headers }: Response, text: string): ApiError {
  try {
    const body = JSON.parse(text);
    return new ApiError(String(body.message ?? body.detail ?? status), status, body);
  } catch {
    const message = isPage(headers, text) ? "" : text.slice(0, 500);
    return new ApiError(message || t("error.status", { status }), status);
  }
}

/** Proxies send pages for browsers; the API never does. */
function isPage(headers: Headers, text: string): boolean {
  return headers.get("content-type")?.startsWith("text/html") === true || /^\s*</.test(text);
}

function goToLogin(): void {
  location.assign(`/ui/login?from=${encodeURIComponent(location.pathname + location.search)}`);
}
