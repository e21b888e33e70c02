/**
 * Starts scripts in a shell that already runs and executes the script in its place, which saves the start of a process with
 * its own group. While a script runs, a shell is started for the next one.
 */
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { shellWord } from "../../base/text/shell_word.ts";
import type { MachineUser } from "../../config/mod.ts";
import { keepAlive } from "./groups.ts";
import type { Watchdog, WatchedCommand, WatchedProcess } from "./watchdog.ts";
import { MARK_VARIABLE } from "./watchdog_program.ts";

/** Some shells read a pipe byte by byte. */
const MAX_PROGRAM_BYTES = 16_384;
/** An unused shell ends after this time. */
const READY_MS = 60_000;
/** Where a control group is: a start without a waiting shell takes the same way. */
const MAX_CONFINED_BYTES = 1024 * 1024;
const NOT_CONFINED =
  "Cannot run commands: with limits of memory, processors or processes, the names in `env` must have letters, digits and " +
  "underscores only and must not be those of a shell, such as PWD or UID";
const SHELL = { command: ["/bin/sh", "-s", "sluice-ready"], cwd: "/", env: {}, stdin: "piped" } as const;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that some shells reserve: an assigned value is refused, changed or lost. */
const OWN_NAMES =
  /^(?:BASH\w*|COMP_\w+|DIRSTACK|EPOCH\w+|EUID|FUNCNAME|GROUPS|HISTCMD|IFS|LINENO|OLDPWD|OPT\w+|POSIXLY_CORRECT|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_)$/;

/** A shell that waits for a script. */
interface ReadyShell {
  readonly process: WatchedProcess;
  readonly user: MachineUser | undefined;
  readonly cancelTimer: CancelTimer;
}

/** At most one ready shell, for the next script. */
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

  /** Like `Watchdog.start`, in the ready shell if possible. @throws Error it cannot be started */
  async start(command: WatchedCommand): Promise<WatchedProcess> {
    const support = await this.#watchdog.support();
    const program = programOf(command, support ? MAX_CONFINED_BYTES : MAX_PROGRAM_BYTES);
    // Nothing of the flow may run before the shell is in its control group.
    if (!program && support?.controllers.size) throw new Error(NOT_CONFINED);
    const process = program && await this.#become(program, command.user) ||
      program && support && await this.#startShell(program, command) ||
      await this.#watchdog.start(command);
    // At once: the server is idle while the script starts.
    if (program) this.#prepareNext(command);
    return process;
  }

  /** Ends the ready shell. */
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
    if (keepAlive(ready.process.child, true)) return await feed(ready.process, program);
    await end(ready.process);
    return undefined;
  }

  async #startShell(program: Uint8Array, { user }: WatchedCommand): Promise<WatchedProcess | undefined> {
    return await feed(await this.#watchdog.start({ ...SHELL, user }), program);
  }

  #prepareNext(command: WatchedCommand): void {
    if (this.#ready || this.#isPreparing || this.#isClosed) return;
    this.#isPreparing = true;
    this.#follow(this.#prepare(command));
  }

  async #prepare({ user }: WatchedCommand): Promise<void> {
    try {
      const process = await this.#watchdog.start({ ...SHELL, user });
      keepAlive(process.child, false);
      const cancelTimer = this.#clock.setTimer(READY_MS, () => this.#discard());
      this.#ready = { process, user, cancelTimer };
      void process.child.status.then(() => this.#ready?.process === process && this.#discard());
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

/**
 * Lets a shell become a script; `undefined` if its pipe is closed. The pipe of an ended shell is open for a moment if this
 * process starts another one meanwhile: until that one executes its program, it has a copy of the pipe.
 */
async function feed(process: WatchedProcess, program: Uint8Array): Promise<WatchedProcess | undefined> {
  const writer = process.child.stdin.getWriter();
  const [written] = await Promise.allSettled([writer.write(program), writer.close()]);
  if (written.status === "fulfilled") return process;
  await end(process);
  return undefined;
}

async function end(process: WatchedProcess): Promise<void> {
  const { stdin, stdout, stderr, status } = process.child;
  keepAlive(process.child, true);
  process.signal("SIGKILL");
  await Promise.allSettled([stdin.locked || stdin.abort(), stdout.cancel(), stderr.cancel(), status]);
  process.end();
}

/** The shell input that executes the command; `undefined` if a shell would not run it exactly. */
function programOf(
  { command, cwd, env, cleanUp }: WatchedCommand,
  maxBytes: number,
): Uint8Array | undefined {
  const names = Object.keys(env);
  const isPlain = names.every((name) => NAME.test(name) && !OWN_NAMES.test(name) && name !== MARK_VARIABLE);
  if (cleanUp !== undefined || !isPlain || !cwd.startsWith("/") || command[0]?.startsWith("-")) {
    return undefined;
  }
  const variables = names.map((name) => ` ${name}=${shellWord(env[name] ?? "")}`).join("");
  // Hides the warning of bash about an unknown locale; the script itself may warn.
  const text =
    `${variables && `export${variables} 2>/dev/null\n`}cd ${shellWord(cwd)} && unset OLDPWD PWD SHLVL &&` +
    ` exec ${command.map(shellWord).join(" ")} </dev/null\n`;
  const program = new TextEncoder().encode(text);
  return program.length <= maxBytes ? program : undefined;
}
