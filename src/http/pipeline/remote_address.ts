/** Who is at the other end of the connection. */

/** The caller's address, as the platform hands it over with each request; looked up only when somebody asks. */
export function remoteAddress(env: unknown): string {
  return (env as { remoteAddr?: { hostname?: string } } | undefined)?.remoteAddr?.hostname ?? "unknown";
}
