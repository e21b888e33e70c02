/**
 * One process with everything that it starts, as a group that ends as a whole. A watchdog in the group reads a pipe whose
 * other end this server holds: when the server is gone, however that came, the pipe ends and the watchdog ends the group.
 */
import type { Clock } from "../../base/clock.ts";
import { LineReader, type ReadLine } from "./lines.ts";

/** What is started. */
export interface SupervisedOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Tells its processes from all others. */
  readonly mark: string;
  /** Shell command that ends what the group does not hold, such as a container. */
  readonly cleanUp?: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onLine: (line: ReadLine & { readonly isError: boolean }) => Promise<void> | void;
}

/** Between the signal that asks to stop and the one that makes stop. */
const GRACE_MS = 3_000;

/**
 * `$1` is the mark, `$2` what cleans up. The watchdog waits without any program, since the flow decides on PATH, and does not
 * hear the signal that asks to stop. It ends those that left the group too, which it finds by the mark in their environment
 * (where the system shows it).
 */
const SUPERVISOR = `
exec 3<&0 </dev/null
mark=$1 cleanup=$2
shift 2
(
  trap '' HUP INT TERM
  exec >/dev/null 2>&1
  PATH=/usr/bin:/bin:$PATH
  while read -r line <&3; do :; done
  [ -z "$cleanup" ] || eval "$cleanup"
  kill -KILL $(grep -lsF "SLUICE_RUN=$mark" /proc/[0-9]*/environ | tr -dc '0-9\\n')
  kill -KILL -$$
) &
exec 3<&-
SLUICE_RUN=$mark
export SLUICE_RUN
exec "$@"
`;

/** Runs it to its end; the exit code as a shell says it. Nothing of it is left then. @throws Error it cannot be started */
export async function runSupervised(options: SupervisedOptions): Promise<number> {
  const { command, cwd, env, mark, cleanUp = "", clock, signal, onLine } = options;
  const args = ["-c", SUPERVISOR, "sluice", mark, cleanUp, ...command];
  const child = spawnGroup(args, cwd, env);
  const readers = [
    new LineReader(child.stdout, clock, (line) => onLine({ ...line, isError: false })),
    new LineReader(child.stderr, clock, (line) => onLine({ ...line, isError: true })),
  ];
  const stopping = new Stopping(child, clock);
  const stop = () => stopping.begin();
  // Whoever takes the lines may not want them any more; why is told at the end.
  const reads = readers.map((reader) => reader.run());
  for (const read of reads) read.catch(stop);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    const { code } = await child.status;
    await stopping.end();
    for (const reader of readers) reader.expectEnd();
    await Promise.allSettled(reads);
    await Promise.all(reads);
    return code;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function spawnGroup(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Deno.ChildProcess {
  try {
    return new Deno.Command("/bin/sh", {
      args: [...args],
      cwd,
      env: { ...env },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new Error("Cannot run commands: this server may not start processes; start it with --allow-run");
  }
}

/** Ends a group. */
class Stopping {
  readonly #child: Deno.ChildProcess;
  readonly #clock: Clock;
  #isBegun = false;
  #isClosed = false;
  #cancelTimer = () => {};

  constructor(child: Deno.ChildProcess, clock: Clock) {
    this.#child = child;
    this.#clock = clock;
  }

  /** Asks it to stop; makes it stop when it has not after a while. */
  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    killGroup(this.#child.pid, "SIGTERM");
    this.#cancelTimer = this.#clock.setTimer(GRACE_MS, () => void this.#wakeWatchdog());
  }

  /** The process itself has ended: what it has left behind, in the group or out of it, is ended by the watchdog at once. */
  async end(): Promise<void> {
    this.#cancelTimer();
    await this.#wakeWatchdog();
  }

  async #wakeWatchdog(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The watchdog may be gone already, and the pipe with it.
    await Promise.allSettled([this.#child.stdin.close()]);
  }
}

function killGroup(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(-pid, signal);
  } catch (error) {
    // The platform says in these ways that nothing of the group is left.
    if (!(error instanceof Deno.errors.NotFound || error instanceof TypeError)) throw error;
  }
}
