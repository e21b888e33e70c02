/** The real worker as a child process of a test. */
import { startLine, WITHOUT_CONTAINERS } from "./server_process.ts";

/** A running worker. Dispose of it to kill it. */
export class WorkerProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #ended: Promise<Deno.CommandOutput>;
  #hasEnded = false;

  private constructor([program = "", ...args]: readonly string[]) {
    this.#child = new Deno.Command(program, {
      args,
      env: WITHOUT_CONTAINERS,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    this.#ended = this.#child.output().finally(() => this.#hasEnded = true);
  }

  /** Starts a worker of that name and waits until its server lists it. */
  static async start(url: string, name: string, ...args: readonly string[]): Promise<WorkerProcess> {
    const line = await startLine(["worker", "--server", url, "--name", name, ...args]);
    const worker = new WorkerProcess(line);
    while (!worker.#hasEnded && !await isListed(url, name)) await new Promise((go) => setTimeout(go, 100));
    if (!worker.#hasEnded) return worker;
    throw new Error(new TextDecoder().decode((await worker.#ended).stderr));
  }

  /** Sends a signal and waits for the end; returns the exit code. */
  async kill(signal: Deno.Signal): Promise<number> {
    if (!this.#hasEnded) this.#child.kill(signal);
    return (await this.#ended).code;
  }

  /** Kills it if it runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill("SIGKILL");
  }
}

async function isListed(url: string, name: string): Promise<boolean> {
  const response = await fetch(`${url}/api/v1/main/workers`);
  const { results } = await response.json();
  return results.some((worker: { name: string; isConnected: boolean }) =>
    worker.name === name && worker.isConnected
  );
}
