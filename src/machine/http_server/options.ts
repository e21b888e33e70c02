/** What the servers of this folder have in common. */
import type { Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import { DomainError } from "../../model/errors.ts";
import type { HttpHandler } from "./connection.ts";
import type { ConnectionLimits } from "./connections.ts";

const PLAIN = { "content-type": "text/plain;charset=UTF-8", "x-content-type-options": "nosniff" };

/** How a server listens. */
export interface HttpServerOptions {
  readonly hostname: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handler: HttpHandler;
  readonly limits: ConnectionLimits;
  /** Whether many clients share the address, which then has no limit of its own; by default none is. */
  readonly isTrustedProxy?: (address: string) => boolean;
  /** The platform accepts the connections, and has its own limits. */
  readonly isDeploy?: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A server that listens. */
export interface HttpServer {
  readonly addr: Deno.NetAddr;
  /** Stops accepting, lets requests under way end, and closes idle connections; settles when all are closed. */
  shutdown(): Promise<void>;
}

/** A plain text response that does not come from the application; browsers do not guess another type. */
export function plainResponse(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(text, { status, headers: { ...PLAIN, ...headers } });
}

/** The application handles its own errors: this is a bug, or a response stream that failed. */
export function failureResponse(error: unknown, logger: Logger): Response {
  if (error instanceof DomainError) {
    logger.info("A response broke off", { reason: error.message });
    return plainResponse(500, error.message);
  }
  const reason = error instanceof Error ? error.stack ?? error.message : String(error);
  logger.error("A response failed", { reason });
  return plainResponse(500, "Internal Server Error");
}
