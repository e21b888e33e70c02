/** The HTTP server of the process: one that limits its connections where Deno permits it. */
import { AcceptingServer } from "./accepting_server.ts";
import type { ConnectionLimits } from "./connections.ts";
import { startCompatServer } from "./compat_server.ts";
import type { HttpServer, HttpServerOptions } from "./options.ts";
import { PlatformServer } from "./platform_server.ts";
import { findServeConnection } from "./serve_connection.ts";

/** Listens on the port, and on the one for clients that ask for an upgrade, if there is one. @throws what `Deno.listen` and `node:http` throw for the addresses */
export async function startHttpServers(options: HttpServerOptions, compatPort?: number): Promise<HttpServer> {
  if (compatPort === undefined || options.isDeploy) return startHttpServer(options);
  const { main: limits, compat: compatLimits } = dividedLimits(options.limits);
  const main = startHttpServer({ ...options, limits });
  try {
    const compat = await startCompatServer({ ...options, limits: compatLimits, port: compatPort });
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

/** Both ports share the open files of the process: `node:net` does not accept again once there was none left. */
function dividedLimits(limits: ConnectionLimits): Record<"main" | "compat", ConnectionLimits> {
  const of = (maxConnections: number) => ({
    ...limits,
    maxConnections,
    maxConnectionsPerAddress: Math.min(limits.maxConnectionsPerAddress, maxConnections),
  });
  const compat = Math.ceil(limits.maxConnections / 4);
  return { main: of(Math.max(1, limits.maxConnections - compat)), compat: of(compat) };
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
