/** The address that a request comes from, also behind proxies. */
import { parseIp } from "../../base/network/ip.ts";
import { IpRanges } from "../../base/network/ip_ranges.ts";
import { remoteAddress } from "../env.ts";

/** The `for` of an element of `Forwarded` (RFC 7239). */
const FORWARDED_FOR = /(?:^|;)\s*for\s*=\s*("?)([^";]*)\1/i;

/** Tells the addresses of callers; by default no proxy is trusted. */
export class ClientAddresses {
  readonly #proxies: IpRanges;

  /** `trusted` are names of ranges, ranges and addresses of proxies. */
  constructor(trusted: readonly string[] = []) {
    this.#proxies = new IpRanges(trusted);
  }

  /** True for a proxy whose headers are trusted; its connections carry the requests of many callers. */
  isTrustedProxy(address: string): boolean {
    return this.#proxies.has(address);
  }

  /**
   * The address of the caller; `env` is what the platform knows of the connection. Headers count only if a trusted proxy
   * sent them. Where `Forwarded` and `X-Forwarded-For` disagree, the caller wrote the one that its proxy does not set: then
   * the address of the proxy counts.
   */
  of(request: Request, env: unknown): string {
    const peer = remoteAddress(env);
    if (this.#proxies.isEmpty || !this.isTrustedProxy(peer)) return peer;
    const forwarded = request.headers.get("forwarded");
    const forwardedFor = request.headers.get("x-forwarded-for");
    if (forwarded === null) return forwardedFor === null ? peer : this.#follow(peer, forwardedFor, addressOf);
    const address = this.#follow(
      peer,
      forwarded,
      (element) => addressOf(FORWARDED_FOR.exec(element)?.[2] ?? ""),
    );
    const isAgreed = forwardedFor === null || address === this.#follow(peer, forwardedFor, addressOf);
    return isAgreed ? address : peer;
  }

  /** From right to left, over trusted hops: each proxy appends the address that called it. */
  #follow(peer: string, list: string, read: (element: string) => string | undefined): string {
    let address = peer;
    let end = list.length;
    while (end > 0 && this.isTrustedProxy(address)) {
      const comma = list.lastIndexOf(",", end - 1);
      const hop = read(list.slice(comma + 1, end));
      if (hop === undefined) return address;
      address = hop;
      end = comma;
    }
    return address;
  }
}

/** The address of a hop, which may have a port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function addressOf(hop: string): string | undefined {
  const text = hop.trim();
  const bare = /^\[([^\]]*)\](?::\w+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, "$1");
  return parseIp(bare) === undefined ? undefined : bare;
}
