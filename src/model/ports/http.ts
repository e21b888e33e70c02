/** Requests to other servers, as tasks, triggers and expressions send them. One request is sent once: nothing repeats it. */

/** A header or form field. */
export type NamedText = readonly [name: string, value: string];

/** What a request carries. */
export interface HttpBody {
  readonly contentType: string;
  /** Bytes; without it the body is sent in chunks. */
  readonly size?: number;
  /** The content from its beginning; asked for again when a redirection wants the body again. */
  open(): AsyncIterable<Uint8Array>;
}

/** Credentials of a request. */
export type HttpAuth =
  | { readonly type: "BASIC" | "DIGEST"; readonly username: string; readonly password: string }
  | { readonly type: "BEARER"; readonly token: string };

/** A server that passes requests on. */
export interface HttpProxy {
  readonly type: "HTTP" | "SOCKS";
  readonly address: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
}

/** How a request is sent. */
export interface HttpOptions {
  readonly connectTimeoutMs: number;
  /** Longest wait for the next bytes of the answer. */
  readonly readIdleTimeoutMs: number;
  readonly auth?: HttpAuth;
  readonly proxy?: HttpProxy;
  /** Any certificate is accepted. */
  readonly isInsecure: boolean;
  readonly followRedirects: boolean;
  /** Most bytes of the answer's body, unpacked; without it there is no limit. */
  readonly maxBytes?: number;
}

/** A request. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute, http or https. */
  readonly uri: string;
  readonly headers: readonly NamedText[];
  readonly body?: HttpBody;
  readonly options: HttpOptions;
  readonly signal?: AbortSignal;
}

/** What a server answered. Its body must be read to the end or cancelled. */
export interface HttpResponse {
  readonly code: number;
  /** Address that answered, after redirections. */
  readonly uri: string;
  /** Names as sent, each once. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Unpacked; empty where the answer has none. Fails when the answer breaks off or is too large. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Sends requests. */
export interface HttpClientPort {
  /** Resolves with the head of the answer, whatever its code. @throws HttpError when no answer came */
  send(request: HttpRequest): Promise<HttpResponse>;
}

/** Why there is no answer; the message goes to the log of the execution and holds no credentials. */
export class HttpError extends Error {
  override readonly name = "HttpError";
}

/** The first value of a header, whatever the case of its name. */
export function headerOf(headers: HttpResponse["headers"], name: string): string | undefined {
  for (const [key, [value]] of headers) if (key.toLowerCase() === name) return value;
  return undefined;
}
