/** Protects from foreign web pages: DNS rebinding of an open server, and changes by requests from another site (CSRF). */
import { isLoopback } from "../../base/network/ip.ts";
import { DomainError } from "../../model/errors.ts";
import type { HttpConfig } from "./config.ts";

type GuardConfig = Pick<HttpConfig, "baseUrl" | "host" | "isProtected" | "noAuthExplicit">;

/** Accepted hosts, as sent; the server name has several spellings. */
const MAX_KNOWN_HOSTS = 32;

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Host name, IPv4 address or bracketed IPv6 address, and a port (RFC 3986). Any other character could end the authority of
 * the URL that the platform builds, and so change the path.
 */
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-fA-F:.]*(?:%25[\w.~-]+)?\])(?::\d{0,5})?$/;

/** Checks `Host`, `Origin`, `Sec-Fetch-Site` and `Sec-Purpose`. */
export class Guard {
  readonly #takesAnyHost: boolean;
  readonly #baseHost: string | undefined;
  readonly #knownHosts = new Set<string>();
  /** The last valid one: most requests of a server have the same. */
  #lastHost: string | undefined;

  constructor(config: GuardConfig) {
    const isOpenOnPurpose = config.noAuthExplicit === true && !isLoopback(config.host);
    this.#takesAnyHost = config.isProtected || isOpenOnPurpose;
    this.#baseHost = config.baseUrl === undefined ? undefined : new URL(config.baseUrl).host;
  }

  /**
   * Refuses a malformed host, and a host name other than the server's: an open server trusts every caller, and DNS
   * rebinding would let any web page be one. @throws DomainError bad_request, misdirected
   */
  checkHost(request: Request): void {
    const sent = request.headers.get("host");
    if (sent !== null && sent !== this.#lastHost) {
      if (!HOST.test(sent)) throw badHost(sent);
      this.#lastHost = sent;
    }
    const host = authorityOf(request.url);
    // A request can also name its host in the first line.
    if (host !== sent && !HOST.test(host)) throw badHost(host);
    if (this.#takesAnyHost) return;
    if (this.#knownHosts.has(host)) return;
    if (!isLoopback(withoutPort(host)) && host.toLowerCase() !== this.#baseHost) {
      const message = `Misdirected Request: this server asks for no credentials and does not answer to ` +
        `"${host.slice(0, 255)}"; use localhost, or set its base URL or credentials`;
      throw new DomainError("misdirected", message);
    }
    if (this.#knownHosts.size < MAX_KNOWN_HOSTS) this.#knownHosts.add(host);
  }

  /**
   * Refuses changes requested from another site: browsers add stored credentials to such requests. Other clients send none
   * of these headers. @throws DomainError forbidden
   */
  checkSite(request: Request): void {
    if (SAFE_METHODS.has(request.method)) return;
    const site = request.headers.get("sec-fetch-site");
    if (site !== null) {
      if (site === "same-origin" || site === "none") return;
      throw new DomainError("forbidden", "Forbidden: the request comes from another site");
    }
    const origin = request.headers.get("origin");
    if (origin === null) return;
    const host = URL.canParse(origin) ? new URL(origin).host : undefined;
    if (host && (host === authorityOf(request.url).toLowerCase() || host === this.#baseHost)) return;
    throw new DomainError("forbidden", "Forbidden: the request comes from another site");
  }

  /**
   * Refuses a change with the credentials of a cookie unless the browser says that a page of this server sent it: browsers
   * add cookies by themselves. To be called after {@link checkSite}. @throws DomainError forbidden
   */
  checkCookieSite({ method, headers }: Request): void {
    if (SAFE_METHODS.has(method) || headers.has("sec-fetch-site") || headers.has("origin")) return;
    throw new DomainError(
      "forbidden",
      "Forbidden: a change with a cookie needs the header Sec-Fetch-Site or Origin; " +
        "programs send their credentials in the header Authorization",
    );
  }
}

/** Refuses a prefetch by a browser, which would start an execution. @throws DomainError forbidden */
export function checkNoPrefetch(request: Request): void {
  const purpose = request.headers.get("sec-purpose") ?? request.headers.get("purpose");
  if (purpose !== null && /\b(?:prefetch|prerender|preview)\b/i.test(purpose)) {
    throw new DomainError("forbidden", "Forbidden: a webhook is not called ahead of time");
  }
}

function badHost(host: string): DomainError {
  return new DomainError(
    "bad_request",
    `Bad Request: "${host.slice(0, 255)}" is not a host and port`,
  );
}

/** Host and port of a URL as sent. The platform takes them from the request's `Host`. */
export function authorityOf(url: string): string {
  const start = url.indexOf("://") + 3;
  const end = url.indexOf("/", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, "");
}
