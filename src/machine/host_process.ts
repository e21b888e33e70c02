/** Processes of this program that run code or statements apart from the server. */
import { readLines } from "./json_lines.ts";

/** What the run-time needs of the environment; what runs in such a process has no permission to read any of it. */
const PASSED_VARIABLES = [
  "PATH",
  "HOME",
  "DENO_DIR",
  "XDG_CACHE_HOME",
  "TMPDIR",
  "SYSTEMROOT",
  "LOCALAPPDATA",
];
/** Of the standard error, for the message of a crash. */
const MAX_ERROR_CHARS = 2_000;

const encoder = new TextEncoder();

/** What such a process runs. */
interface HostProgram {
  /** The hidden command of the compiled binary. */
  readonly command: string;
  /** The module of the process, which loads far less than the server. */
  readonly module: URL;
  /** Options of the run-time; the binary has its own. */
  readonly permissions: readonly string[];
}

/** How it is used. */
interface HostOptions {
  readonly maxLineChars: number;
  /** Kills it. */
  readonly signal?: AbortSignal;
}

/** How a process ended. */
interface HostEnd {
  /** Its signal or exit code. */
  readonly cause: string;
  /** Begin of its error output. */
  readonly errors: string;
}

/** Whether this server may start such processes. */
export function mayStartHosts(): boolean {
  return Deno.permissions.querySync({ name: "run", command: Deno.execPath() }).state === "granted";
}

/** A running process; its messages are lines. Disposal kills it, whatever it does, and waits for its end. */
export class HostProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncGenerator<string>;
  readonly #errors: Promise<string>;
  readonly #signal: AbortSignal | undefined;

  constructor(program: HostProgram, { maxLineChars, signal }: HostOptions) {
    this.#child = start(program);
    this.#input = this.#child.stdin.getWriter();
    this.#input.closed.catch(() => {}); // The end of the process is seen at its output.
    this.#lines = readLines(this.#child.stdout, maxLineChars);
    this.#errors = readErrors(this.#child.stderr);
    this.#signal = signal;
    signal?.addEventListener("abort", this.kill, { once: true });
    if (signal?.aborted) this.kill();
  }

  /** Ends it at once; does nothing if it has ended. */
  readonly kill = (): void => {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  };

  /** Sends a line. */
  send(line: string): void {
    this.#input.write(encoder.encode(`${line}\n`)).catch(() => {});
  }

  /** Its next line; `undefined`: it has ended. @throws RangeError the line is too long */
  async receive(): Promise<string | undefined> {
    return (await this.#lines.next()).value;
  }

  /** Waits for its end. */
  async end(): Promise<HostEnd> {
    const { code, signal } = await this.#child.status;
    return { cause: signal ?? `code ${code}`, errors: (await this.#errors).trim() };
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal?.removeEventListener("abort", this.kill);
    this.kill();
    await this.#input.abort().catch(() => {});
    await this.#lines.return(undefined).catch(() => {});
    await this.#child.stdout.cancel().catch(() => {});
    await this.end();
  }
}

/** In the binary by the program itself. */
function start({ command, module, permissions }: HostProgram): Deno.ChildProcess {
  const args = Deno.build.standalone
    ? [command]
    : ["run", "--no-check", "--no-prompt", "--deny-import", ...permissions, module.href];
  const env = PASSED_VARIABLES.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return new Deno.Command(Deno.execPath(), {
    args,
    clearEnv: true,
    env: { NO_COLOR: "1", ...Object.fromEntries(env) },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function readErrors(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    text = (text + decoder.decode(bytes, { stream: true })).slice(0, MAX_ERROR_CHARS);
  }
  return text;
}
