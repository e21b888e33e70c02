/** Processes that lead their own group and session, so that signals of the terminal to the server do not reach them. */

type GroupOptions = Pick<
  Deno.CommandOptions,
  "cwd" | "env" | "stdin" | "stdout" | "stderr" | "uid" | "gid"
>;

const NOT_ALLOWED = "this server may not start processes; start it with --allow-run";
const NO_PROCESS = "this machine cannot start another process; run fewer at a time, or raise its limits";
const NO_FILE = "this server has too many files open; run fewer scripts at a time, or raise its limits";
/** By error code; the message of the platform would name `setsid`. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["E2BIG", "arguments and variables are too long for this machine; pass large values in `inputFiles`"],
  ["EAGAIN", NO_PROCESS],
  ["ENOMEM", NO_PROCESS],
  ["EMFILE", NO_FILE],
  ["ENFILE", NO_FILE],
]);
const SETSID_PLACES: readonly string[] = ["/usr/bin/setsid", "/bin/setsid"];

/** Starts them. */
export class GroupStarter {
  readonly #places: readonly string[];
  /** `null`: not installed. */
  #setsid: string | null | undefined;

  /** `places`: possible paths of `setsid`. */
  constructor(places = SETSID_PLACES) {
    this.#places = places;
  }

  /**
   * Starts a command with only these variables; its process id becomes the id of its group. Uses `setsid` if installed,
   * which replaces itself with the command. `detached` copies the page tables of the server first: a start takes 3.3 ms
   * instead of 2.6 ms, and 14 ms instead of 2.8 ms with 300 MB.
   * @throws Error it cannot be started
   */
  start(command: readonly string[], options: GroupOptions): Deno.ChildProcess {
    this.#setsid = this.#setsid === undefined ? findFile(this.#places) : this.#setsid;
    const [program = "", ...args] = this.#setsid ? [this.#setsid, "--", ...command] : command;
    try {
      return new Deno.Command(program, { ...options, args, clearEnv: true, detached: !this.#setsid }).spawn();
    } catch (error) {
      const reason = REASONS.get((error as { readonly code?: string }).code ?? "") ??
        (error instanceof Deno.errors.NotCapable ? NOT_ALLOWED : undefined);
      if (reason === undefined) throw error;
      throw new Error(`Cannot run commands: ${reason}`, { cause: error });
    }
  }
}

/** Sends a signal to the group of the process, or only to the process before it has become the leader. */
export function signalGroup(child: Deno.ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (isSent(() => Deno.kill(-child.pid, signal))) return;
  isSent(() => child.kill(signal));
}

/** Sets whether this process waits for the end of the child; false if the child has ended, although its status may not be known yet. */
export function keepAlive(child: Deno.ChildProcess, isWanted: boolean): boolean {
  try {
    child[isWanted ? "ref" : "unref"]();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BadResource) return false;
    throw error;
  }
}

function isSent(send: () => void): boolean {
  try {
    send();
    return true;
  } catch (error) {
    // The process or group does not exist any more.
    if (error instanceof Deno.errors.NotFound || error instanceof TypeError) return false;
    throw error;
  }
}

function findFile(places: readonly string[]): string | null {
  return places.find((place) => {
    try {
      return Deno.statSync(place).isFile;
    } catch {
      return false; // Absent or not readable: `detached` works too.
    }
  }) ?? null;
}
