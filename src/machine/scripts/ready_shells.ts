/**
 * Starts scripts by a shell that is already there and becomes the script: nobody waits until a process leads a group of its
 * own. The next shell is started while a script runs, so there is one for whoever comes next.
 */
import type { CancelTimer, Clock } from "../../base/clock.ts";
import { shellWord } from "../../base/shell_word.ts";
import type { MachineUser } from "../../config/mod.ts";
import type { Watchdog, WatchedCommand, WatchedProcess } from "./watchdog.ts";
import { MARK_VARIABLE } from "./watchdog_program.ts";

/** Some shells read a pipe byte by byte. */
const MAX_PROGRAM_BYTES = 16_384;
/** A shell that nobody wants ends after so long. */
const READY_MS = 60_000;
const COMMAND = ["/bin/sh", "-s", "sluice-ready"];
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that some shell keeps for itself: a value that is assigned to them is refused, changed or lost. */
const OWN_NAMES =
  /^(?:BASH\w*|COMP_\w+|DIRSTACK|EPOCH\w+|EUID|FUNCNAME|GROUPS|HISTCMD|IFS|LINENO|OLDPWD|OPT\w+|POSIXLY_CORRECT|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_)$/;

/** A shell that has not been told yet what it becomes. */
interface ReadyShell {
  readonly process: WatchedProcess;
  readonly user: MachineUser | undefined;
  readonly cancelTimer: CancelTimer;
}

/** At most one shell, for the next script. */
export class ReadyShells implements AsyncDisposable {
  readonly #watchdog: Watchdog;
  readonly #clock: Clock;
  #ready: ReadyShell | undefined;
  #isPreparing = false;
  readonly #changes = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(watchdog: Watchdog, clock: Clock) {
    this.#watchdog = watchdog;
    this.#clock = clock;
  }

  /** As the watchdog starts it, by a shell that is ready where a shell can. @throws Error it cannot be started */
  async start(command: WatchedCommand): Promise<WatchedProcess> {
    const program = programOf(command);
    const process = program && await this.#become(program, command.user) ||
      await this.#watchdog.start(command);
    // At once: this server has nothing to do while the script starts.
    if (program) this.#prepareNext(command);
    return process;
  }

  /** Ends the shell that is ready. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#discard();
    while (this.#changes.size > 0) await Promise.allSettled([...this.#changes]);
  }

  async #become(program: Uint8Array, user: MachineUser | undefined): Promise<WatchedProcess | undefined> {
    const ready = this.#ready;
    if (!ready || ready.user !== user) return undefined;
    this.#ready = undefined;
    ready.cancelTimer();
    const { child } = ready.process;
    child.ref();
    const writer = child.stdin.getWriter();
    const [written] = await Promise.allSettled([writer.write(program), writer.close()]);
    if (written.status === "fulfilled") return ready.process;
    // Something has ended it.
    await end(ready.process);
    return undefined;
  }

  #prepareNext(command: WatchedCommand): void {
    if (this.#ready || this.#isPreparing || this.#isClosed) return;
    this.#isPreparing = true;
    this.#follow(this.#prepare(command));
  }

  async #prepare({ user }: WatchedCommand): Promise<void> {
    try {
      const process = await this.#watchdog.start({
        command: COMMAND,
        cwd: "/",
        env: {},
        stdin: "piped",
        user,
      });
      process.child.unref();
      const cancelTimer = this.#clock.setTimer(READY_MS, () => this.#discard());
      this.#ready = { process, user, cancelTimer };
    } finally {
      this.#isPreparing = false;
      if (this.#isClosed) this.#discard();
    }
  }

  #discard(): void {
    const ready = this.#ready;
    this.#ready = undefined;
    ready?.cancelTimer();
    if (ready) this.#follow(end(ready.process));
  }

  #follow(change: Promise<void>): void {
    const settled = Promise.allSettled([change]);
    this.#changes.add(settled);
    void settled.then(() => this.#changes.delete(settled));
  }
}

async function end(process: WatchedProcess): Promise<void> {
  const { stdin, stdout, stderr, status } = process.child;
  process.child.ref();
  process.signal("SIGKILL");
  await Promise.allSettled([stdin.locked || stdin.abort(), stdout.cancel(), stderr.cancel(), status]);
  process.end();
}

/** What a shell reads to become the command; nothing where a shell would not do it exactly so. */
function programOf({ command, cwd, env, cleanUp }: WatchedCommand): Uint8Array | undefined {
  const names = Object.keys(env);
  const isPlain = names.every((name) => NAME.test(name) && !OWN_NAMES.test(name) && name !== MARK_VARIABLE);
  if (cleanUp !== undefined || !isPlain || !cwd.startsWith("/") || command[0]?.startsWith("-")) {
    return undefined;
  }
  const variables = names.map((name) => ` ${name}=${shellWord(env[name] ?? "")}`).join("");
  // bash warns of a locale that this machine has not, which is for the script to say.
  const text =
    `${variables && `export${variables} 2>/dev/null\n`}cd ${shellWord(cwd)} && unset OLDPWD PWD SHLVL &&` +
    ` exec ${command.map(shellWord).join(" ")} </dev/null\n`;
  const program = new TextEncoder().encode(text);
  return program.length <= MAX_PROGRAM_BYTES ? program : undefined;
}
