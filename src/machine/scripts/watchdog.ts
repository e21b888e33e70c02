/**
 * One process that outlives this server for a moment: it holds the other end of a pipe, and when that ends, however it came,
 * it ends the scripts that the server has not seen to their end. What ended scripts have left behind it ends as well.
 */
import type { CancelTimer, Clock } from "../../base/clock.ts";
import { type RandomBytes, systemRandomBytes } from "../../base/id.ts";
import type { MachineUser } from "../../config/mod.ts";
import { GroupStarter, signalGroup } from "./groups.ts";
import { MARK_VARIABLE, WATCHDOG_PROGRAM } from "./watchdog_program.ts";

/** A process to start under watch. */
export interface WatchedCommand {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whose rights it has; absent: those of the server. */
  readonly user?: MachineUser;
  /** Shell command, run once more or less at the end, that ends what no process of the machine is, such as a container. */
  readonly cleanUp?: string;
  /** Absent: it reads nothing. */
  readonly stdin?: "piped";
}

/** What a watchdog can be given for its own. */
interface WatchdogOptions {
  readonly groups?: GroupStarter;
  readonly randomBytes?: RandomBytes;
}

/** So many words of one line stay far below what an argument of a program may have. */
const WORDS_PER_PASS = 200;
/**
 * How often it hears of what has begun and ended. To wake it takes longer than to start a script, and for what scripts have left
 * behind it looks at every process of the machine.
 */
const NEWS_MS = 200;
const MAX_FAILURES = 5;
/** How long the end of a server waits for it, as a process of the machine that hangs may make it hang too. */
const END_MS = 5_000;

/** The watchdog of one server; started with the first script, and again when something has ended it. */
export class Watchdog implements AsyncDisposable {
  readonly #groups: GroupStarter;
  readonly #env: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  /** What the marks of all its processes begin with: no other process of the machine has it. */
  readonly #mark: string;
  #markCount = 0;
  /** What it has to end when the server is gone. */
  readonly #held: Set<string>;
  /** Groups of `#held` that it has not been told of. */
  readonly #newGroups = new Set<string>();
  /** Groups of which nothing is left. Long before their numbers are given to others it has forgotten them. */
  readonly #oldGroups = new Set<string>();
  /** Words of processes that have ended: they are ended by it in passes, one at a time. */
  readonly #ended = new Set<string>();
  #process: WatchdogProcess | undefined;
  #pass: readonly string[] = [];
  #cancelNews: CancelTimer | undefined;
  #isClosed = false;
  /** How many have ended in a row before they were up. */
  #failures = 0;

  /** `env` is what its programs and the commands that clean up get. */
  constructor(
    env: Readonly<Record<string, string>>,
    clock: Clock,
    { groups = new GroupStarter(), randomBytes = systemRandomBytes }: WatchdogOptions = {},
  ) {
    this.#env = env;
    this.#clock = clock;
    this.#groups = groups;
    this.#mark = `${newNonce(randomBytes)}-`;
    this.#held = new Set([`m${this.#mark}`]);
  }

  /**
   * Starts a process in a group of its own, marked. The watchdog hears of the group a little later: until then it finds the
   * leader by its mark, unless that has emptied its environment. @throws Error it cannot be started
   */
  async start(options: WatchedCommand): Promise<WatchedProcess> {
    const { command, cwd, env, cleanUp, user, stdin = "null" } = options;
    const mark = `${this.#mark}${++this.#markCount}-`;
    const words = cleanUp ? [`c${inOctal(cleanUp)}`] : [];
    if (!this.#process || cleanUp) await this.#hold(words);
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
      return new WatchedProcess(child, () => this.#end(words, group));
    } catch (error) {
      this.#end(words);
      throw error;
    }
  }

  /** Ends it, and with it all that it still holds; by another one where something has ended it before. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#cancelNews?.();
    const isDone = await this.#endProcess();
    if (!isDone && (this.#held.size > 1 || this.#ended.size > 0)) {
      await this.#restart();
      await this.#endProcess();
    }
    this.#held.clear();
    this.#ended.clear();
  }

  /** With the pipe it gets the last news. */
  async #endProcess(): Promise<boolean> {
    const process = this.#process;
    this.#process = undefined;
    const news = this.#groupNews();
    if (process && news.length > 0) void process.send(news);
    return await process?.end(this.#clock) ?? false;
  }

  #holdGroup(group: string): void {
    this.#held.add(group);
    this.#newGroups.add(group);
    this.#planNews();
  }

  async #hold(words: readonly string[]): Promise<void> {
    for (const word of words) this.#held.add(word);
    const process = this.#process;
    if (await process?.send([`hold ${words.join(" ")}`])) return;
    // It is gone, which is not known yet.
    if (process === this.#process) this.#process = undefined;
    try {
      await this.#restart();
    } catch (error) {
      for (const word of words) this.#held.delete(word);
      throw error;
    }
  }

  /** Another script may have done so already. */
  async #restart(): Promise<void> {
    if (!this.#process) {
      this.#pass = [];
      this.#process = this.#startProcess();
    }
    const isUp = await this.#process.send([`hold ${[...this.#held].join(" ")}`]);
    if (!isUp) throw new Error("Cannot run commands: the process that watches over them does not stay up");
    this.#planNews();
  }

  #startProcess(): WatchdogProcess {
    const child = this.#groups.start(["/bin/sh", "-c", WATCHDOG_PROGRAM, "sluice-watchdog"], {
      cwd: "/",
      env: this.#env,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    });
    const process = new WatchdogProcess(child, () => this.#endPass(process));
    void process.ended.then(() => this.#onEnd(process));
    return process;
  }

  #end(words: readonly string[], group?: string): void {
    for (const word of words) this.#ended.add(word);
    if (group !== undefined && this.#held.delete(group) && !this.#newGroups.delete(group)) {
      this.#oldGroups.add(group);
    }
    this.#planNews();
  }

  /** At the end the last news go with the pipe, and what ends by it has nobody to be told to. */
  #planNews(): void {
    if (this.#isClosed) return;
    this.#cancelNews ??= this.#clock.setTimer(NEWS_MS, () => this.#tellNews());
  }

  #tellNews(): void {
    this.#cancelNews = undefined;
    // The next one is told all when it starts.
    if (!this.#process) return;
    const news = this.#groupNews();
    if (this.#pass.length === 0 && this.#ended.size > 0) {
      this.#pass = [...this.#ended].slice(0, WORDS_PER_PASS);
      news.push(`end ${this.#pass.join(" ")}`);
    }
    if (news.length > 0) void this.#process.send(news);
  }

  /** Lines that tell of groups; they are taken for told. */
  #groupNews(): string[] {
    const news = [["hold", this.#newGroups], ["drop", this.#oldGroups]] as const;
    return news.flatMap(([verb, groups]) => {
      const line = `${verb} ${[...groups].join(" ")}`;
      const isNews = groups.size > 0;
      groups.clear();
      return isNews ? [line] : [];
    });
  }

  #endPass(process: WatchdogProcess): void {
    if (process !== this.#process) return;
    for (const word of this.#pass) {
      this.#held.delete(word);
      this.#ended.delete(word);
    }
    this.#pass = [];
    if (this.#ended.size > 0) this.#planNews();
  }

  /** When several in a row were never up, the next one is started by the next script. */
  async #onEnd(process: WatchdogProcess): Promise<void> {
    this.#failures = process.isUp ? 0 : this.#failures + 1;
    if (process !== this.#process) return;
    this.#process = undefined;
    if (this.#failures > MAX_FAILURES || this.#held.size === 1 && this.#ended.size === 0) return;
    try {
      await this.#restart();
    } catch {
      // That one has ended as well, and is followed by another. Or the machine has no room for it: the next script tries again.
    }
  }
}

/** A process under watch. */
export class WatchedProcess {
  /** Its output is to be read. */
  readonly child: Deno.ChildProcess;
  readonly #onEnd: () => void;

  /** `onEnd` is called when nothing of it may be left. */
  constructor(child: Deno.ChildProcess, onEnd: () => void) {
    this.child = child;
    this.#onEnd = onEnd;
  }

  /** Tells it and all of its group. */
  signal(signal: "SIGTERM" | "SIGKILL"): void {
    signalGroup(this.child, signal);
  }

  /**
   * It has ended: its group is made to end now, what has left the group soon after. Must be called at once: the number of an
   * empty group is free for others, which take it only when the machine has used up all the others.
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
  #isUp = false;

  constructor(child: Deno.ChildProcess, onResponse: () => void) {
    // A server that has nothing else to do may end.
    child.unref();
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#reader = child.stdout.getReader();
    this.#onResponse = onResponse;
    this.ended = this.#run();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Whether there is still a process to take the lines. */
  async send(lines: readonly string[]): Promise<boolean> {
    const bytes = encoder.encode(lines.map((line) => `${line}\n`).join(""));
    const [{ status }] = await Promise.allSettled([this.#writer.write(bytes)]);
    return status === "fulfilled";
  }

  /** Ends the pipe, and waits for what that makes it do; whether it has done all of it. */
  async end(clock: Clock): Promise<boolean> {
    this.#child.ref();
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
