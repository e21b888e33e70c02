/** An attack in a process of its own, which takes no time from the clients that measure. */
import { READY, REPORT } from "./attacker.ts";

/** How an attack runs. */
export interface AttackProcessOptions {
  readonly url: string;
  readonly connections: number;
  /** It ends by itself after this time. */
  readonly seconds: number;
}

/** A running attack. Dispose of it to end it. */
export class AttackProcess implements AsyncDisposable {
  readonly name: string;
  /** Settles when it is at its height, or has ended. */
  readonly ready: Promise<void>;
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<void>;
  readonly #onReady: () => void;
  #report = "";

  constructor(name: string, { url, connections, seconds }: AttackProcessOptions) {
    this.name = name;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#onReady = resolve;
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const script = new URL("attacker.ts", import.meta.url).pathname;
    this.#child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        "--config",
        config,
        script,
        name,
        url,
        `${connections}`,
        `${seconds}`,
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#reading = this.#read();
  }

  /** What it has done. */
  get report(): string {
    return this.#report;
  }

  /** Ends it; settles when its last report is read. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGTERM");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // It has ended.
    }
    await this.#reading;
    await this.#child.status;
  }

  async #read(): Promise<void> {
    let rest = "";
    const texts = this.#child.stdout.pipeThrough(
      new TextDecoderStream() as TransformStream<Uint8Array, string>,
    );
    for await (const text of texts) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === READY) this.#onReady();
        if (line.startsWith(REPORT)) this.#report = line.slice(REPORT.length);
      }
    }
    this.#onReady();
  }
}
