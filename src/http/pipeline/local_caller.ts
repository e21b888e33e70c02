/** Tells a caller on the machine of the server from others, for what only the operator may do. */
import { isLoopback } from "../../base/network/ip.ts";
import { remoteAddress } from "../env.ts";
import type { ClientAddresses } from "./client_addresses.ts";

/** Headers of proxies: with one of them a connection from this machine may carry the request of another one. */
const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

interface LocalCallerOptions {
  readonly clients: ClientAddresses;
  /** Public address of the server. */
  readonly baseUrl?: string;
}

/**
 * True if the connection comes from a loopback address and is direct as far as can be seen: no trusted proxy, no header of
 * a proxy, and both the request and the public address name this machine. The latter also excludes DNS rebinding.
 */
export function isLocalCaller(request: Request, env: unknown, options: LocalCallerOptions): boolean {
  const peer = remoteAddress(env);
  if (!isLoopback(peer) || options.clients.isTrustedProxy(peer)) return false;
  if (PROXY_HEADERS.some((name) => request.headers.has(name))) return false;
  return [request.url, options.baseUrl ?? request.url].every((url) =>
    URL.canParse(url) && isLoopback(new URL(url).hostname)
  );
}
