/** HTTP requests of tasks, triggers and expressions. */

/** A header or form field. */
export type NamedText = readonly [name: string, value: string];

/** The body of a request. */
export interface HttpBody {
  readonly contentType: string;
  /** Bytes; without it the body is sent chunked. */
  readonly size?: number;
  /** Opens the content from its beginning; called again if a redirect repeats the body. A piece may overwrite the one before. */
  open(): AsyncIterable<Uint8Array>;
}

/** Credentials of a request. */
export type HttpAuth =
  | { readonly type: "BASIC" | "DIGEST"; readonly username: string; readonly password: string }
  | { readonly type: "BEARER"; readonly token: string };

/** A proxy server. */
export interface HttpProxy {
  readonly type: "HTTP" | "SOCKS";
  readonly address: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
}

/** Trust and identity of a TLS connection, PEM texts. */
export interface TlsIdentity {
  /** Certificates of authorities, in place of those of the machine. */
  readonly ca?: string;
  /** Certificate of the client, with its `key`. */
  readonly certificate?: string;
  readonly key?: string;
}

/** Options of a request. */
export interface HttpOptions {
  readonly connectTimeoutMs: number;
  /** Longest wait for the next bytes of the response. */
  readonly readIdleTimeoutMs: number;
  readonly auth?: HttpAuth;
  readonly proxy?: HttpProxy;
  /** Accepts any certificate. */
  readonly isInsecure: boolean;
  /** Absent: the server is trusted as by the machine, and the client has no certificate. */
  readonly tls?: TlsIdentity;
  readonly followRedirects: boolean;
  /** Maximum size of the decompressed response body; without it unlimited. */
  readonly maxBytes?: number;
}

/** A request. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute, `http` or `https`. */
  readonly uri: string;
  readonly headers: readonly NamedText[];
  readonly body?: HttpBody;
  readonly options: HttpOptions;
  readonly signal?: AbortSignal;
}

/** A response. The caller must read the body to the end or cancel it. */
export interface HttpResponse {
  readonly code: number;
  /** URI of the response, after redirects. */
  readonly uri: string;
  /** Names with the case of the server; each occurs once. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The decompressed body; empty if the response has no body. Errors with HttpError if the response ends early or is too large. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** The adapter sends each request once, without retries, and applies the network policy of the server to every redirect. */
export interface HttpClientPort {
  /** Resolves with the head of the response, whatever its status code. @throws HttpError no response */
  send(request: HttpRequest): Promise<HttpResponse>;
  /**
   * An IP address of the host that the policy allows, for clients of other protocols; of several the first that accepts a
   * connection. @throws HttpError the name has no address, or none that may be reached
   */
  addressOf(target: HostPort, signal?: AbortSignal): Promise<string>;
}

/** A host by its name or address, and a port. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** No response. The message is logged in the execution and must not contain credentials. */
export class HttpError extends Error {
  override readonly name = "HttpError";
}

/** The first value of a header; `name` is in lower case. */
export function headerOf(headers: HttpResponse["headers"], name: string): string | undefined {
  for (const [key, [value]] of headers) if (key.toLowerCase() === name) return value;
  return undefined;
}
