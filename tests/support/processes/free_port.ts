/** Below the ports that systems give to connections and to servers that ask for any port: those could be taken at any moment. */
const RANGE = { from: 20_000, count: 12_000 };

/** A TCP port of this machine that nothing listens on now, for a server that must be told its port. */
export function freePort(): number {
  for (;;) {
    const port = RANGE.from + Math.floor(Math.random() * RANGE.count);
    if (isFree(port)) return port;
  }
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}
