/** What the rows measure with: servers over fresh or full stores, loads, and both sides of a ratio by turns. */
import { countSuccesses, type Headers, startPath } from "./api.ts";
import { median } from "./figures.ts";
import { findLoadGenerator, type LoadGenerator } from "./load/load_generator.ts";
import type { BenchOptions } from "./options.ts";
import { RAW_BODY } from "./servers/raw_server.ts";
import { seed, type SeededStore } from "./seeding/seeding.ts";
import { pause, type ServerOptions, ServerUnderTest } from "./servers/server_under_test.ts";

/** Executions to start. */
export interface ExecutionLoad {
  readonly server: ServerUnderTest;
  readonly paths: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  readonly headers?: Headers;
}

/** What became of them. */
export interface ExecutionRates {
  readonly accepted: number;
  readonly failed: number;
  /** SUCCESS within {@link DRAIN_MS} after the load. */
  readonly completed: number;
  readonly completedPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** One side of a ratio: measures for that many seconds. */
export type Side = (seconds: number) => Promise<number>;

/** How long what was accepted may take to complete once the load is over. */
const DRAIN_MS = 500;
const DRAIN_INTERVAL_MS = 50;
const WARM_UP_SECONDS = 1;

/** One run of the benchmark. Dispose of it to remove its stores. */
export class Bench implements AsyncDisposable {
  readonly options: BenchOptions;
  readonly generator: LoadGenerator;
  readonly #folder: string;
  readonly #say: (line: string) => void;
  #folders = 0;
  #seeded: Promise<SeededStore> | undefined;

  private constructor(
    options: BenchOptions,
    parts: { generator: LoadGenerator; folder: string; say: Bench["say"] },
  ) {
    this.options = options;
    this.generator = parts.generator;
    this.#folder = parts.folder;
    this.#say = parts.say;
  }

  /** Prepares a run; `say` receives what it is about to do. */
  static async create(options: BenchOptions, say: (line: string) => void): Promise<Bench> {
    const folder = await Deno.makeTempDir({ prefix: "sluice-bench-" });
    return new Bench(options, { generator: await findLoadGenerator(folder), folder, say });
  }

  /** Tells the person who waits. */
  say(line: string): void {
    this.#say(line);
  }

  /** Starts the server; over a fresh store unless a data directory is given. */
  async startServer(options: Partial<ServerOptions> = {}): Promise<ServerUnderTest> {
    const dataDir = options.dataDir ?? await this.freshFolder();
    const args = ["--log-level", this.options.logLevel, ...options.args ?? []];
    return await ServerUnderTest.start({ ...options, dataDir, args });
  }

  /** Starts the server that shows the limit, over a fresh store. */
  async startRaw(): Promise<ServerUnderTest> {
    const dataDir = await this.freshFolder();
    return await ServerUnderTest.start({ script: "tests/bench/servers/raw_server.ts", dataDir });
  }

  /** A folder for one store. */
  async freshFolder(): Promise<string> {
    const path = `${this.#folder}/store-${++this.#folders}`;
    await Deno.mkdir(path);
    return path;
  }

  /** The store with `options.executions` executions, filled at the first call. No server runs over it. */
  seeded(): Promise<SeededStore> {
    return this.#seeded ??= seed(this);
  }

  /** Raw POSTs a second. */
  async rawRate(server: ServerUnderTest, connections: number, seconds: number): Promise<number> {
    const { accepted, failed, seconds: took } = await this.generator.run({
      url: server.url,
      method: "POST",
      paths: ["/raw"],
      body: RAW_BODY,
      headers: { "content-type": "application/json" },
      connections,
      seconds,
    });
    if (failed > 0) this.say(`  ${failed} raw POSTs failed`);
    return accepted / took;
  }

  /** Starts executions and counts those that complete. */
  async loadExecutions(load: ExecutionLoad): Promise<ExecutionRates> {
    const { server, headers, paths, connections, seconds } = load;
    const before = await countSuccesses(server.url, headers);
    const result = await this.generator.run({
      url: server.url,
      method: "POST",
      paths,
      headers,
      connections,
      seconds,
    });
    const completed = await countCompleted(server.url, before, result.accepted, headers);
    const { accepted, failed, p50Ms, p99Ms } = result;
    if (failed > 0) this.say(`  ${failed} starts failed`);
    return { accepted, failed, completed, completedPerSecond: completed / result.seconds, p50Ms, p99Ms };
  }

  /** Completed executions a second of one flow. */
  async executionRate(
    server: ServerUnderTest,
    flowId: string,
    load: Partial<ExecutionLoad>,
  ): Promise<number> {
    const rates = await this.loadExecutions({
      server,
      paths: [startPath(flowId)],
      connections: 64,
      seconds: this.options.seconds,
      ...load,
    });
    return rates.completedPerSecond;
  }

  /** Measures the sides by turns, after a warm-up of each, so that what else goes on meets all alike; a median each. */
  async byTurns(...sides: Side[]): Promise<number[]> {
    const values = sides.map((): number[] => []);
    for (const side of sides) await side(WARM_UP_SECONDS);
    for (let round = 0; round < this.options.rounds; round++) {
      for (const [index, side] of sides.entries()) values[index]?.push(await side(this.options.seconds));
    }
    return values.map(median);
  }

  /** As {@link byTurns}, in a third of the time: for sides of one client, whose middle is known soon. */
  async byShortTurns(...sides: Side[]): Promise<number[]> {
    return await this.byTurns(...sides.map((side) => (seconds: number) => side(seconds / 3)));
  }

  /** Removes the stores, unless they are to be kept. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.options.isKeeping) this.say(`The stores are in ${this.#folder}`);
    else await Deno.remove(this.#folder, { recursive: true });
  }
}

async function countCompleted(
  url: string,
  before: number,
  wanted: number,
  headers?: Headers,
): Promise<number> {
  const deadline = performance.now() + DRAIN_MS;
  for (;;) {
    const completed = await countSuccesses(url, headers) - before;
    if (completed >= wanted || performance.now() > deadline) return completed;
    await pause(DRAIN_INTERVAL_MS);
  }
}
