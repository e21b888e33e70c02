/** The number of connections that the limit of open files permits. */

/** Open files of a process where the limit is unknown: the usual limit of Linux. */
const USUAL_LIMIT = 1_024;
/** Part of the limit that is left to the database, scripts and connections of flows, and the least of it. */
const RESERVED_PART = 1 / 4;
const MIN_RESERVED = 128;
const MIN_CONNECTIONS = 16;
/** By default. An idle one takes 13 KB; with 10,000 the attacks of `task test:overload` took 100 MB more than with this. */
const DEFAULT_MAX_CONNECTIONS = 4_096;

/** What an operator has configured. */
interface GivenConnectionLimits {
  readonly maxConnections?: number;
  readonly maxConnectionsPerAddress?: number;
}

/** How many connections there may be, with `openFiles` descriptors; by default one address may have half of them. */
export function connectionCaps(
  { maxConnections = DEFAULT_MAX_CONNECTIONS, maxConnectionsPerAddress }: GivenConnectionLimits,
  openFiles = USUAL_LIMIT,
): { readonly maxConnections: number; readonly maxConnectionsPerAddress: number } {
  const usable = openFiles - Math.max(MIN_RESERVED, Math.ceil(openFiles * RESERVED_PART));
  const total = Math.min(maxConnections, Math.max(MIN_CONNECTIONS, usable));
  return {
    maxConnections: total,
    maxConnectionsPerAddress: Math.min(maxConnectionsPerAddress ?? Math.ceil(total / 2), total),
  };
}

/** The limit of open files of this process, which its children inherit; `undefined` if the system does not report it. */
export async function readFileLimit(): Promise<number | undefined> {
  // The file needs all permissions of Deno, the shell only that to run programs.
  const text = await Deno.readTextFile("/proc/self/limits").then(limitOfProc, () => undefined) ??
    await limitOfShell();
  const limit = Number(text);
  return Number.isSafeInteger(limit) && limit > 0 ? limit : undefined;
}

function limitOfProc(limits: string): string | undefined {
  return /^Max open files\s+(\d+)/m.exec(limits)?.[1];
}

async function limitOfShell(): Promise<string | undefined> {
  try {
    const { stdout } = await new Deno.Command("sh", { args: ["-c", "ulimit -n"], stderr: "null" }).output();
    return new TextDecoder().decode(stdout).trim();
  } catch {
    return undefined; // No shell, or no permission.
  }
}
