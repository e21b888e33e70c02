/** The HTTP server of the process: one that limits its connections where Deno permits it. */
import { AcceptingServer } from "./accepting_server.ts";
import type { HttpServer, HttpServerOptions } from "./options.ts";
import { PlatformServer } from "./platform_server.ts";
import { findServeConnection } from "./serve_connection.ts";

/** Listens. @throws what `Deno.listen` throws for the address */
export function startHttpServer(options: HttpServerOptions): HttpServer {
  const serve = options.isDeploy ? undefined : findServeConnection();
  if (serve) return new AcceptingServer(Deno.listen(options), serve, options);
  if (!options.isDeploy) {
    options.logger.warn(
      "This version of Deno cannot limit connections: put a proxy that does in front of it",
    );
  }
  return new PlatformServer(options);
}
