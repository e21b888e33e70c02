/** One life of the real process: started on the same data directory as the one before, killed without warning. */
import { WITHOUT_CONTAINERS } from "../support/processes/server_process.ts";
import { Client } from "./client.ts";
import { EFFECTS_VARIABLE } from "./server.ts";

/** Where the process finds its data and leaves its effects. */
export interface ServerFiles {
  readonly dataDir: string;
  readonly effects: string;
  /** Holds the credentials; arguments are visible to all. */
  readonly credentials: string;
}

/** Name and password of the servers under test. */
export const CREDENTIALS = "crash:test-password";

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 60_000;

/** A child process that is a server. Dispose of it to kill it. */
export class ServerUnderCrash implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #ended: Promise<number>;
  readonly #url = Promise.withResolvers<string>();
  #log = "";
  #client: Client | undefined;

  private constructor(files: ServerFiles) {
    this.#child = command(files).spawn();
    this.#ended = this.#watch();
  }

  /** Starts a process; it is not ready yet. */
  static spawn(files: ServerFiles): ServerUnderCrash {
    return new ServerUnderCrash(files);
  }

  /** Waits until the server is ready; a client of it. @throws Error with its log when it ends or takes too long */
  async ready(authorization: string): Promise<Client> {
    const timer = setTimeout(() => this.#fail("it takes too long"), READY_TIMEOUT_MS);
    try {
      const url = await this.#url.promise;
      const health = await fetch(`${url}/health`);
      await health.body?.cancel();
      if (!health.ok) this.#fail(`/health answers ${health.status}`);
      return this.#client = new Client(url, authorization);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What it wrote. */
  get log(): string {
    return this.#log;
  }

  /** SIGKILL; settles when the process is gone. */
  async kill(): Promise<void> {
    this.#signal("SIGKILL");
    await this.#ended;
    this.#client?.[Symbol.dispose]();
    this.#client = undefined;
  }

  /** SIGTERM; the exit code. One that does not end in time is killed. */
  async stop(): Promise<number> {
    const timer = setTimeout(() => this.#signal("SIGKILL"), STOP_TIMEOUT_MS);
    this.#signal("SIGTERM");
    const code = await this.#ended;
    clearTimeout(timer);
    await this.kill();
    return code;
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #signal(signal: Deno.Signal): void {
    try {
      this.#child.kill(signal);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended already
    }
  }

  #fail(reason: string): never | void {
    this.#url.reject(new Error(`The server did not become ready: ${reason}\n${this.#log}`));
  }

  async #watch(): Promise<number> {
    this.#url.promise.catch(() => {}); // a process that is killed early has nobody waiting for it
    const [status] = await Promise.all([
      this.#child.status,
      this.#read(this.#child.stdout),
      this.#read(this.#child.stderr),
    ]);
    this.#fail("it has ended");
    return status.code;
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      this.#log += decoder.decode(chunk, { stream: true });
      const [, url] = /is ready on (http:\S+)\s/.exec(this.#log) ?? [];
      if (url) this.#url.resolve(url);
    }
  }
}

/** Writes the files that a server needs besides its data. */
export async function createServerFiles(folder: string): Promise<ServerFiles> {
  const files = {
    dataDir: `${folder}/data`,
    effects: `${folder}/effects.txt`,
    credentials: `${folder}/credentials`,
  };
  await Deno.writeTextFile(files.effects, "");
  await Deno.writeTextFile(files.credentials, CREDENTIALS, { mode: 0o600 });
  return files;
}

function command(files: ServerFiles): Deno.Command {
  const entry = new URL("server.ts", import.meta.url).pathname;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const options = ["--port", "0", "--data-dir", files.dataDir, "--basic-auth-file", files.credentials];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", config, entry, ...options, "--log-level", "warn"],
    env: { NO_COLOR: "1", ...WITHOUT_CONTAINERS, [EFFECTS_VARIABLE]: files.effects },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}
