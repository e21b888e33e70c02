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
      if (this.#claim(port) && !isListening(port)) return port;
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

/**
 * Whether anything listens on this TCP port of the machine. Linux is asked for its sockets: one that would be opened to try the
 * port would stay open as long as a program that another thread starts at that moment has not taken the place of its copy of
 * this process.
 */
export function isListening(port: number): boolean {
  if (Deno.build.os !== "linux") return !canListen(port);
  const line = new RegExp(
    `:${port.toString(16).toUpperCase().padStart(4, "0")} [0-9A-F]+:0000 ${LISTENING} `,
  );
  return ["tcp", "tcp6"].some((name) => line.test(Deno.readTextFileSync(`/proc/net/${name}`)));
}

/** State of a socket in `/proc/net/tcp`. */
const LISTENING = "0A";

function canListen(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}
