/** The HTTP server of the process: one that limits its connections where Deno permits it. */
import { AcceptingServer } from "./accepting_server.ts";
import { startCompatServer } from "./compat_server.ts";
import type { HttpServer, HttpServerOptions } from "./options.ts";
import { PlatformServer } from "./platform_server.ts";
import { findServeConnection } from "./serve_connection.ts";

/** Listens on the port, and on the one for clients that ask for an upgrade, if there is one. @throws what `Deno.listen` and `node:http` throw for the addresses */
export async function startHttpServers(options: HttpServerOptions, compatPort?: number): Promise<HttpServer> {
  const main = startHttpServer(options);
  if (compatPort === undefined || options.isDeploy) return main;
  try {
    const compat = await startCompatServer({ ...options, port: compatPort });
    options.logger.info("Serves clients that ask for an upgrade to HTTP/2", { port: compat.addr.port });
    return {
      addr: main.addr,
      shutdown: async () => void await Promise.all([main, compat].map((server) => server.shutdown())),
    };
  } catch (error) {
    await main.shutdown();
    throw error;
  }
}

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
