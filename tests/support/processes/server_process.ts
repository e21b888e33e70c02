/** The real server as a child process: started, watched, signalled and killed by a test. */
import { buildServer } from "../../../src/server/build.ts";

const CONFIG = new URL("../../../deno.json", import.meta.url).pathname;
/** The flags of the task `start`. By default the heap may grow to four times of what lives before a full collection. */
export const START_FLAGS: readonly string[] = [
  "--v8-flags=--heap-growing-percent=50",
  "--no-prompt",
  "--deny-import",
  "--allow-net",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-run",
  "--allow-sys=statfs,getPriority,setPriority",
];
/** The search for a container runtime takes a third of the processor time of a start. Tests of containers name theirs. */
export const WITHOUT_CONTAINERS = { SLUICE_CONTAINER_RUNTIME: "none" };
/** Longest time until a server is ready; a start takes a fraction of a second on a machine that does nothing else. */
const READY_TIMEOUT_MS = 120_000;
const HEALTH_INTERVAL_MS = 50;

/** How to start it. */
export interface ServerProcessOptions {
  readonly dataDir: string;
  /** Further arguments, after `--data-dir` and `--port`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** 0 lets the system choose. */
  readonly port?: number;
  /** A compiled binary; absent: the build of the server, with the permissions of `deno task start`. */
  readonly binary?: string;
  /** Permissions of the server; by default those of the task `start`. */
  readonly permissions?: readonly string[];
  /** Folder it is started in. */
  readonly cwd?: string;
  /** Its limit of open files; absent: that of this process. */
  readonly openFiles?: number;
}

/** What a process left. */
export interface Finished {
  readonly code: number;
  /** Standard output and error in the order they came. */
  readonly log: string;
}

/** A running server. Dispose of it to kill it; a test that forgets leaks a process and fails. */
export class ServerProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #finished: Promise<Finished>;
  readonly #listeners = new Set<() => void>();
  #log = "";
  #hasEnded = false;
  /** Address without a trailing slash. */
  url = "";

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#finished = this.#watch();
  }

  /** Starts a server and waits until `/health` answers 200. @throws Error with its log when it ends before that */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const server = new ServerProcess((await command(serverArguments(options), options)).spawn());
    try {
      const [, url = ""] = await server.waitForLog(/(https?:\/\/[^\s"]+:\d+)[\s"]/, READY_TIMEOUT_MS);
      server.url = url;
      await server.#waitUntilHealthy();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs a process that is expected to end by itself. */
  static async run(
    args: readonly string[],
    options: Omit<ServerProcessOptions, "dataDir"> = {},
  ): Promise<Finished> {
    const { code, stdout, stderr } = await (await command(args, options)).output();
    return { code, log: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  }

  /** The JSON that it answers, path below `/api/v1/main`. @throws Error for a status of 400 or more */
  async json<Answer>(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${this.url}/api/v1/main${path}`, { method, ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** Id of the process. */
  get pid(): number {
    return this.#child.pid;
  }

  /** What it has written so far. */
  get log(): string {
    return this.#log;
  }

  /** Settles when it has ended. */
  get finished(): Promise<Finished> {
    return this.#finished;
  }

  /** Sends a signal; does nothing to a process that has ended. */
  signal(signal: Deno.Signal): void {
    if (!this.#hasEnded) this.#child.kill(signal);
  }

  /** Sends a signal and waits for the end. */
  async kill(signal: Deno.Signal = "SIGKILL"): Promise<Finished> {
    this.signal(signal);
    return await this.#finished;
  }

  /** Waits until the log matches. @throws Error with the log when it ends before, or after `timeoutMs` */
  async waitForLog(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const fail = (reason: string) =>
      reject(new Error(`${reason} before its log matched ${pattern}:\n${this.#log}`));
    const look = () => {
      const match = pattern.exec(this.#log);
      if (match) resolve(match);
      else if (this.#hasEnded) fail("The server ended");
    };
    const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
    this.#listeners.add(look);
    look();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#listeners.delete(look);
    }
  }

  /** Kills it when it still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill("SIGKILL");
  }

  async #watch(): Promise<Finished> {
    const [status] = await Promise.all([
      this.#child.status,
      this.#read(this.#child.stdout),
      this.#read(this.#child.stderr),
    ]);
    this.#hasEnded = true;
    this.#notify();
    return { code: status.code, log: this.#log };
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (
      const text of stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    ) {
      this.#log += text;
      this.#notify();
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async #waitUntilHealthy(): Promise<void> {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    while (performance.now() < deadline && !this.#hasEnded) {
      if (await isHealthy(this.url)) return;
      await new Promise((resolve) => setTimeout(resolve, HEALTH_INTERVAL_MS));
    }
    throw new Error(`The server did not become healthy:\n${this.#log}`);
  }
}

/** Looked for once: that compares a thousand files, at the cost of half a start. */
let built: Promise<string> | undefined;

/** The command line of a script, by default the built server, as the task `start` runs it. */
export async function startLine(
  args: readonly string[],
  { permissions = START_FLAGS, script }: { permissions?: readonly string[]; script?: string } = {},
): Promise<string[]> {
  const run = ["run", "--no-check", "--config", CONFIG, ...permissions];
  return [Deno.execPath(), ...run, script ?? await (built ??= buildServer()), ...args];
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`);
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    if (error instanceof TypeError) return false; // not listening yet
    throw error;
  }
}

function serverArguments(options: ServerProcessOptions): string[] {
  return ["--data-dir", options.dataDir, "--port", String(options.port ?? 0), ...options.args ?? []];
}

async function command(
  args: readonly string[],
  options: Omit<ServerProcessOptions, "dataDir">,
): Promise<Deno.Command> {
  const { binary, openFiles } = options;
  const line = binary === undefined ? await startLine(args, options) : [binary, ...args];
  const limited = openFiles === undefined
    ? line
    : ["sh", "-c", 'ulimit -n "$0" && exec "$@"', String(openFiles), ...line];
  const [program = "", ...rest] = limited;
  return new Deno.Command(program, {
    args: rest,
    cwd: options.cwd,
    env: { NO_COLOR: "1", ...WITHOUT_CONTAINERS, ...options.env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}
