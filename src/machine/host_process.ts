/** Processes of this program that run code or statements apart from the server. */

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

/** Which process. */
interface HostProcess {
  /** The hidden command of the compiled binary. */
  readonly command: string;
  /** The module of the process, which loads far less than the server. */
  readonly module: URL;
  /** Options of the run-time; the binary has its own. */
  readonly permissions: readonly string[];
}

/** Starts the process, in the binary by the program itself. */
export function startHostProcess({ command, module, permissions }: HostProcess): Deno.ChildProcess {
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

/** The end of an error stream, as a text. */
export async function readErrors(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    text = (text + decoder.decode(bytes, { stream: true })).slice(0, MAX_ERROR_CHARS);
  }
  return text;
}

/** Ends a process at once; does nothing if it has ended. */
export function killHostProcess(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
