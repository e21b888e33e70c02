/** What the servers of this folder have in common. */
import type { Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import { DomainError } from "../../model/errors.ts";
import type { HttpHandler } from "./connection.ts";
import type { ConnectionLimits } from "./connections.ts";

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

/** The application handles its own errors: this is a bug, or a response stream that failed. */
export function failureResponse(error: unknown, logger: Logger): Response {
  if (error instanceof DomainError) {
    logger.info("A response broke off", { reason: error.message });
    return new Response(error.message, { status: 500 });
  }
  const reason = error instanceof Error ? error.stack ?? error.message : String(error);
  logger.error("A response failed", { reason });
  return new Response("Internal Server Error", { status: 500 });
}
