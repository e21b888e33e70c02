/**
 * A process that outlives this server briefly: it reads a pipe from the server, and when the pipe closes for any reason, it
 * ends the scripts that still run. It also ends processes that ended scripts have left behind.
 */
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { type RandomBytes, systemRandomBytes } from "../../base/id.ts";
import type { MachineUser } from "../../config/mod.ts";
import type { ControlGroups, GroupSupport } from "./control_groups.ts";
import { GroupStarter, keepAlive, signalGroup } from "./groups.ts";
import { MARK_VARIABLE, WATCHDOG_PROGRAM } from "./watchdog_program.ts";

/** A process to start under watch. */
export interface WatchedCommand {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The user it runs as; absent: that of the server. */
  readonly user?: MachineUser;
  /** Shell command that removes what is not a process of the machine, such as a container. May run twice. */
  readonly cleanUp?: string;
  /** Absent: no input. */
  readonly stdin?: "piped";
}

/** When scripts must end although this process may be frozen: when its lease does. */
export interface Deadline {
  /** Milliseconds until then; 0 or less: now. */
  leftMs(): number;
  /** Calls the listener after each change, until the returned function is called. */
  onMoved(listener: () => void): () => void;
}

interface WatchdogOptions {
  /** Absent: scripts end with this process only. */
  readonly deadline?: Deadline;
  readonly groups?: GroupStarter;
  /** Where each process gets a control group; absent: none does. */
  readonly control?: ControlGroups;
  readonly randomBytes?: RandomBytes;
}

/** Words of one line; far below the limit of program arguments. */
const WORDS_PER_PASS = 200;
/**
 * Interval of messages about started and ended scripts. Waking it takes longer than starting a script, and the search for
 * leftover processes reads every process of the machine.
 */
const FLUSH_MS = 200;
const MAX_FAILURES = 5;
/** Timeout of its end at the stop of the server: a hanging process of the machine may block it. */
const END_MS = 5_000;

/** The watchdog of one server; started with the first script, and restarted when something ends it. */
export class Watchdog implements AsyncDisposable {
  readonly #groups: GroupStarter;
  readonly #control: ControlGroups | undefined;
  readonly #deadline: Deadline | undefined;
  readonly #stopListening: (() => void) | undefined;
  readonly #env: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  /** Prefix of the marks of all its processes, unique on the machine. */
  readonly #mark: string;
  #markCount = 0;
  /** Words it ends when the server is gone. */
  readonly #held: Set<string>;
  /** Groups of `#held` not sent to it yet. */
  readonly #newGroups = new Set<string>();
  /** Ended groups, to be dropped long before their ids are reused. */
  readonly #oldGroups = new Set<string>();
  /** Words of ended processes; it ends them in passes, one pass at a time. */
  readonly #ended = new Set<string>();
  #process: WatchdogProcess | undefined;
  #pass: readonly string[] = [];
  #cancelFlush: CancelTimer | undefined;
  #isClosed = false;
  /** Watchdogs in a row that ended before they were up. */
  #failures = 0;

  /** `env`: environment of its programs and of clean-up commands. */
  constructor(
    env: Readonly<Record<string, string>>,
    clock: Clock,
    { groups = new GroupStarter(), randomBytes = systemRandomBytes, control, deadline }: WatchdogOptions = {},
  ) {
    this.#deadline = deadline;
    this.#stopListening = deadline?.onMoved(() => this.#moveDeadline());
    this.#env = env;
    this.#clock = clock;
    this.#groups = groups;
    this.#control = control;
    this.#mark = `${newNonce(randomBytes)}-`;
    this.#held = new Set([`m${this.#mark}`]);
  }

  /** The control groups of its processes, if this machine has them; they are removed when the server is gone. */
  async support(): Promise<GroupSupport | undefined> {
    const support = await this.#control?.support();
    const word = support && `d${inOctal(support.path)}`;
    if (word && !this.#held.has(word)) await this.#hold([word]);
    return support;
  }

  /**
   * Starts a marked process in its own group. The watchdog gets the group a little later: until then it finds the leader by
   * its mark, unless the leader has emptied its environment. @throws Error it cannot be started
   */
  async start(options: WatchedCommand): Promise<WatchedProcess> {
    const { command, cwd, env, cleanUp, user, stdin = "null" } = options;
    const mark = `${this.#mark}${++this.#markCount}-`;
    const words = cleanUp ? [`c${inOctal(cleanUp)}`] : [];
    const support = this.#control && !cleanUp ? await this.support() : undefined;
    // A process that starts before this would outlive a server that ends in the same moment.
    if (cleanUp || !this.#process || !await this.#process.told) await this.#hold(words);
    words.push(`m${mark}`);
    try {
      const child = this.#groups.start(command, {
        cwd,
        env: { ...env, [MARK_VARIABLE]: mark },
        uid: user?.userId,
        gid: user?.groupId,
        stdin,
        stdout: "piped",
        stderr: "piped",
      });
      const group = `g${child.pid}`;
      this.#holdGroup(group);
      const end = () => this.#end(words, group);
      if (!support) return new WatchedProcess(child, mark, end);
      return await this.#confine(new WatchedProcess(child, mark, end), { words, support });
    } catch (error) {
      this.#end(words);
      throw error;
    }
  }

  /** Puts a started process into a control group, which ends with it. */
  async #confine(
    process: WatchedProcess,
    { words, support }: { readonly words: string[]; readonly support: GroupSupport },
  ): Promise<WatchedProcess> {
    const { child, mark } = process;
    try {
      const path = await this.#control?.place(child.pid, support);
      if (path !== undefined) words.push(`k${inOctal(path)}`);
      return new WatchedProcess(child, mark, () => process.end(), path);
    } catch (error) {
      process.signal("SIGKILL");
      await Promise.allSettled([child.stdout.cancel(), child.stderr.cancel(), child.status]);
      process.end();
      throw error;
    }
  }

  /** Ends it and everything it holds; a new one does so if something has ended it before. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#stopListening?.();
    this.#cancelFlush?.();
    const isDone = await this.#endProcess();
    if (!isDone && (this.#held.size > 1 || this.#ended.size > 0)) {
      await this.#restart();
      await this.#endProcess();
    }
    this.#held.clear();
    this.#ended.clear();
  }

  /** Sends the last messages before it closes the pipe. */
  async #endProcess(): Promise<boolean> {
    const process = this.#process;
    this.#process = undefined;
    const messages = this.#groupMessages();
    if (process && messages.length > 0) void process.send(messages);
    return await process?.end(this.#clock) ?? false;
  }

  /** Each message carries the deadline. A watchdog that holds no process needs none. */
  #moveDeadline(): void {
    if (this.#held.size > 1) void this.#process?.send([]);
  }

  #holdGroup(group: string): void {
    this.#held.add(group);
    this.#newGroups.add(group);
    this.#planFlush();
  }

  async #hold(words: readonly string[]): Promise<void> {
    for (const word of words) this.#held.add(word);
    const process = this.#process;
    if (await process?.send([`hold ${words.join(" ")}`])) return;
    // It has ended, but its end is not handled yet.
    if (process === this.#process) this.#process = undefined;
    try {
      await this.#restart();
    } catch (error) {
      for (const word of words) this.#held.delete(word);
      throw error;
    }
  }

  /** Another script may have restarted it already. */
  async #restart(): Promise<void> {
    if (!this.#process) {
      this.#pass = [];
      this.#process = this.#startProcess();
    }
    const isUp = await this.#process.send([`hold ${[...this.#held].join(" ")}`]);
    if (!isUp) throw new Error("Cannot run commands: the watchdog process does not stay up");
    this.#planFlush();
  }

  #startProcess(): WatchdogProcess {
    const child = this.#groups.start(["/bin/sh", "-c", WATCHDOG_PROGRAM, "sluice-watchdog"], {
      cwd: "/",
      env: this.#env,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    });
    const process = new WatchdogProcess(child, () => this.#endPass(process), this.#deadline);
    void process.ended.then(() => this.#onEnd(process));
    return process;
  }

  #end(words: readonly string[], group?: string): void {
    for (const word of words) this.#ended.add(word);
    if (group !== undefined && this.#held.delete(group) && !this.#newGroups.delete(group)) {
      this.#oldGroups.add(group);
    }
    this.#planFlush();
  }

  /** After disposal the pipe is closed and nothing is left to report. */
  #planFlush(): void {
    if (this.#isClosed) return;
    this.#cancelFlush ??= this.#clock.setTimer(FLUSH_MS, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush = undefined;
    // The next one gets everything when it starts.
    if (!this.#process) return;
    const messages = this.#groupMessages();
    if (this.#pass.length === 0 && this.#ended.size > 0) {
      this.#pass = [...this.#ended].slice(0, WORDS_PER_PASS);
      messages.push(`end ${this.#pass.join(" ")}`);
    }
    if (messages.length > 0) void this.#process.send(messages);
  }

  /** Messages about groups, which count as sent. */
  #groupMessages(): string[] {
    const kinds = [["hold", this.#newGroups], ["drop", this.#oldGroups]] as const;
    return kinds.flatMap(([verb, groups]) => {
      const line = `${verb} ${[...groups].join(" ")}`;
      const isNeeded = groups.size > 0;
      groups.clear();
      return isNeeded ? [line] : [];
    });
  }

  #endPass(process: WatchdogProcess): void {
    if (process !== this.#process) return;
    for (const word of this.#pass) {
      this.#held.delete(word);
      this.#ended.delete(word);
    }
    this.#pass = [];
    if (this.#ended.size > 0) this.#planFlush();
  }

  /** After several in a row that were never up, the next script starts the next one. */
  async #onEnd(process: WatchdogProcess): Promise<void> {
    this.#failures = process.isUp ? 0 : this.#failures + 1;
    if (process !== this.#process) return;
    this.#process = undefined;
    if (this.#failures > MAX_FAILURES || this.#held.size === 1 && this.#ended.size === 0) return;
    try {
      await this.#restart();
    } catch {
      // Its end starts another one; if it could not start at all, the next script tries again.
    }
  }
}

/** A process under watch. */
export class WatchedProcess {
  /** The caller must read its output. */
  readonly child: Deno.ChildProcess;
  /** Begins the value of a variable of all its processes. */
  readonly mark: string;
  /** Path of its control group, if it has one. */
  readonly controlGroup: string | undefined;
  readonly #onEnd: () => void;

  /** `onEnd` is called when it has ended and leftovers must end. */
  constructor(child: Deno.ChildProcess, mark: string, onEnd: () => void, controlGroup?: string) {
    this.child = child;
    this.mark = mark;
    this.controlGroup = controlGroup;
    this.#onEnd = onEnd;
  }

  /** Sends a signal to its group. */
  signal(signal: "SIGTERM" | "SIGKILL"): void {
    signalGroup(this.child, signal);
  }

  /**
   * After its end: kills its group now, and processes that left the group soon after. Must be called at once: the id of an
   * empty group can be reused, though only after the machine has used all others.
   */
  end(): void {
    this.signal("SIGKILL");
    this.#onEnd();
  }
}

/** One run of the program. */
class WatchdogProcess {
  readonly ended: Promise<unknown>;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #onResponse: () => void;
  readonly #deadline: Deadline | undefined;
  #told: Promise<boolean> | undefined;
  #isUp = false;

  constructor(child: Deno.ChildProcess, onResponse: () => void, deadline?: Deadline) {
    this.#deadline = deadline;
    // It must not keep the server process alive.
    keepAlive(child, false);
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#reader = child.stdout.getReader();
    this.#onResponse = onResponse;
    this.ended = this.#run();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** True once it has got the first lines; false when it has ended before. */
  get told(): Promise<boolean> | undefined {
    return this.#told;
  }

  /** Sends lines; false when the process has ended. */
  send(lines: readonly string[]): Promise<boolean> {
    const written = this.#write(lines);
    this.#told ??= written;
    return written;
  }

  async #write(lines: readonly string[]): Promise<boolean> {
    const until = this.#deadline ? [`until ${Math.max(0, this.#deadline.leftMs()) / 1_000}`] : [];
    const bytes = encoder.encode([...lines, ...until].map((line) => `${line}\n`).join(""));
    const [{ status }] = await Promise.allSettled([this.#writer.write(bytes)]);
    return status === "fulfilled";
  }

  /** Closes the pipe, and waits until it has ended everything; false when it failed. */
  async end(clock: Clock): Promise<boolean> {
    keepAlive(this.#child, true);
    const cancel = clock.setTimer(END_MS, () => signalGroup(this.#child, "SIGKILL"));
    await Promise.allSettled([this.#writer.close()]);
    await this.ended;
    cancel();
    return (await this.#child.status).success;
  }

  async #run(): Promise<void> {
    const reading = Promise.allSettled([this.#readResponses()]);
    await Promise.allSettled([this.#child.status]);
    await Promise.allSettled([this.#reader.cancel(), this.#writer.close(), reading]);
  }

  async #readResponses(): Promise<void> {
    for (;;) {
      const { value, done } = await this.#reader.read();
      if (done) return;
      for (let count = 0; count < value.length; count++) {
        if (this.#isUp) this.#onResponse();
        this.#isUp = true;
      }
    }
  }
}

const encoder = new TextEncoder();

function newNonce(randomBytes: RandomBytes): string {
  const bytes = new Uint8Array(16);
  randomBytes(bytes);
  return bytes.toHex();
}

function inOctal(text: string): string {
  return [...encoder.encode(text)].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join(
    "",
  );
}
