/** A KV Connect server for tests: the program denokv, at `../shared/bin/denokv` or where `DENOKV` says. Without it tests are skipped. */
import { freePort } from "../processes/free_port.ts";

const PROGRAM = Deno.env.get("DENOKV") ?? new URL("../../../../shared/bin/denokv", import.meta.url).pathname;
const START_TIMEOUT_MS = 30_000;
const LOOK_INTERVAL_MS = 10;

/** Access token of each server of tests. */
export const DENOKV_TOKEN = "token-of-tests";

/** A test that needs denokv; skipped with a notice where the program is missing. */
export function denokvTest(name: string, run: () => Promise<void>): void {
  if (hasDenokv()) return Deno.test(name, run);
  Deno.test({ name: `${name} (skipped: no program "${PROGRAM}")`, ignore: true, fn: run });
}

/** Whether the program is there. */
export function hasDenokv(): boolean {
  try {
    return Deno.statSync(PROGRAM).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A running server. Dispose of it to kill it. */
export class Denokv implements AsyncDisposable {
  readonly #path: string;
  readonly #port: number;
  #child: Deno.ChildProcess;

  private constructor(path: string, port: number) {
    this.#path = path;
    this.#port = port;
    this.#child = this.#spawn();
  }

  /** Starts a server on a free port; its database is the file `path`. */
  static async start(path: string, port = freePort()): Promise<Denokv> {
    const server = new Denokv(path, port);
    await server.#waitUntilListening();
    return server;
  }

  /** Its address. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Sends a signal. */
  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Kills it and waits for its end. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }

  /** Starts it again after {@link kill}, at the same address. */
  async restart(): Promise<void> {
    this.#child = this.#spawn();
    await this.#waitUntilListening();
  }

  /** Kills it if it runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }

  #spawn(): Deno.ChildProcess {
    const address = `127.0.0.1:${this.#port}`;
    const args = ["--sqlite-path", this.#path, "serve", "--access-token", DENOKV_TOKEN, "--addr", address];
    return new Deno.Command(PROGRAM, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
  }

  async #waitUntilListening(): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (performance.now() < deadline) {
      const connection = await connect(this.#port);
      if (connection) return connection.close();
      await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
    }
    throw new Error("denokv did not listen");
  }
}

async function connect(port: number): Promise<Deno.TcpConn | undefined> {
  try {
    return await Deno.connect({ hostname: "127.0.0.1", port });
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return undefined;
    throw error;
  }
}
