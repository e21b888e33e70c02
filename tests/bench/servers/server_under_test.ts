/** A server as a process of its own, started as `deno task start` does, and timed while it boots. */
import { resolve } from "node:path";
import { freePort } from "../../support/processes/free_port.ts";
import { startLine } from "../../support/processes/server_process.ts";
import { KeepAliveClient } from "../load/keep_alive_client.ts";
import { cpuMs, peakBytes, residentBytes, writtenBytes } from "../process_stats.ts";

/** How it is started. */
export interface ServerOptions {
  /** The script that measures the limit: its path, absolute or from the project's root; absent: the server. */
  readonly script?: string;
  readonly dataDir: string;
  readonly args?: readonly string[];
}

const ROOT = new URL("../../../", import.meta.url).pathname;
const BOOT_TIMEOUT_MS = 120_000;
const PROBE_INTERVAL_MS = 2;

/** A running server. Dispose of it to stop it in good order. */
export class ServerUnderTest implements AsyncDisposable {
  /** Address without a trailing slash. */
  readonly url: string;
  readonly dataDir: string;
  /** From the start of the process to the first `/health` 200. */
  readonly bootMs: number;
  readonly #child: Deno.ChildProcess;

  private constructor(child: Deno.ChildProcess, at: { url: string; dataDir: string; bootMs: number }) {
    this.#child = child;
    this.url = at.url;
    this.dataDir = at.dataDir;
    this.bootMs = at.bootMs;
  }

  /** Starts a server; settles once it is ready. @throws Error with the command line when it does not become ready */
  static async start({ script, dataDir, args = [] }: ServerOptions): Promise<ServerUnderTest> {
    const port = freePort();
    const url = `http://127.0.0.1:${port}`;
    const options = ["--data-dir", dataDir, "--port", String(port), ...args];
    const line = await startLine(options, { script: script && resolve(ROOT, script) });
    const startedAt = performance.now();
    // Its log is dropped by the system: nobody takes time from the measurement to read it.
    const [program = "", ...rest] = line;
    const child = new Deno.Command(program, {
      args: rest,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    if (await isReady(url, child, startedAt + BOOT_TIMEOUT_MS)) {
      return new ServerUnderTest(child, { url, dataDir, bootMs: performance.now() - startedAt });
    }
    child.kill("SIGKILL");
    throw new Error(`The server did not become ready; to see why: ${line.join(" ")}`);
  }

  /** Resident memory, in bytes. */
  residentBytes(): Promise<number> {
    return residentBytes(this.#child.pid);
  }

  /** The most memory that it has had resident, in bytes. */
  peakBytes(): Promise<number> {
    return peakBytes(this.#child.pid);
  }

  /** Time that it has computed so far. */
  cpuMs(): Promise<number> {
    return cpuMs(this.#child.pid);
  }

  /** Bytes that it has written so far, to the database and to its clients. */
  writtenBytes(): Promise<number> {
    return writtenBytes(this.#child.pid);
  }

  /** Path of the server's database file. */
  get databasePath(): string {
    return `${this.dataDir}/sluice.db`;
  }

  /** Stops it in good order. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.status;
  }
}

async function isReady(url: string, child: Deno.ChildProcess, deadline: number): Promise<boolean> {
  let hasEnded = false;
  void child.status.then(() => hasEnded = true);
  while (!hasEnded && performance.now() < deadline) {
    if (await isHealthy(url)) return true;
    await pause(PROBE_INTERVAL_MS);
  }
  return false;
}

async function isHealthy(url: string): Promise<boolean> {
  let client: KeepAliveClient | undefined;
  try {
    client = await KeepAliveClient.connect(url);
    return (await client.request("GET", "/health")).status === 200;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused || error instanceof Deno.errors.ConnectionReset) {
      return false;
    }
    throw error;
  } finally {
    client?.close();
  }
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
