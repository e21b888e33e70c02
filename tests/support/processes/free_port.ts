/** Below the ports that systems give to connections and to servers that ask for any port: those could be taken at any moment. */
const RANGE = { from: 20_000, count: 12_000 };

/** Ports for servers that must be told their port. A server takes its port some time after the choice, so no port is given twice. */
export class FreePorts {
  readonly #folder: string | undefined;
  readonly #given = new Set<number>();

  /** With a `folder`, all who have its path are given different ports. */
  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** A TCP port of this machine that nothing listens on now. */
  next(): number {
    for (;;) {
      const port = RANGE.from + Math.floor(Math.random() * RANGE.count);
      if (this.#claim(port) && isFree(port)) return port;
    }
  }

  #claim(port: number): boolean {
    if (this.#given.has(port)) return false;
    this.#given.add(port);
    return this.#folder === undefined || isCreated(`${this.#folder}/${port}`);
  }
}

const ports = new FreePorts(Deno.env.get("SLUICE_TEST_PORTS"));

/** A TCP port of this machine that nothing listens on now, and that no other test of this run is given. */
export function freePort(): number {
  return ports.next();
}

/** Whether the file is new. Of several that try at a time one creates it. */
function isCreated(path: string): boolean {
  try {
    Deno.openSync(path, { write: true, createNew: true }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
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
