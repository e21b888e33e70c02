/** A server under a steady mixed load, measured all the time, and looked at in the end. */
import { Chance } from "../crash/chance.ts";
import { Client } from "../crash/client.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { Acknowledged } from "./acknowledged.ts";
import { STARTED, triggeredFlows } from "./flows.ts";
import { Followers } from "./followers.ts";
import { readGauges } from "./gauges.ts";
import { Load } from "./load.ts";
import type { SoakSample } from "./report.ts";

/** How to run. */
export interface SoakOptions {
  readonly durationMs: number;
  readonly seed: number;
  /** Operations a second. */
  readonly rate: number;
  readonly sampleMs: number;
  /** Of executions that have ended, and of records of the audit log. */
  readonly retention: string;
  readonly folder: string;
  readonly report: (line: string) => void;
  /** Told of each sample at once: a run may be ended before its end. */
  readonly sampled: (samples: readonly SoakSample[]) => void;
  /** Ends the load before its time, and the run without its last looks. */
  readonly signal?: AbortSignal;
}

/** What a run showed. */
export interface SoakResult {
  readonly samples: readonly SoakSample[];
  readonly operations: number;
  /** Executions that were acknowledged and looked at. */
  readonly looked: number;
  readonly streams: number;
  readonly problems: readonly string[];
  readonly problemCount: number;
}

const YAML = { "content-type": "application/x-yaml" };
/** Operations under way at a time: a slow server is not given more and more. */
const MAX_UNDER_WAY = 64;
const CHECK_MS = 1_000;
const REPORT_MS = 60_000;
/** After the load everything that was started ends within this time. */
const SETTLE_MS = 60_000;

/** Runs the load for its time, restarts the server, and looks whether everything is there. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  return await new Soak(options).run();
}

class Soak {
  readonly #options: SoakOptions;
  readonly #acknowledged: Acknowledged;
  readonly #samples: SoakSample[] = [];
  readonly #startedAt = Date.now();
  #operations = 0;
  #streams = 0;
  #nextReportAt = this.#startedAt + REPORT_MS;

  constructor(options: SoakOptions) {
    this.#options = options;
    this.#acknowledged = new Acknowledged(options.signal);
  }

  async run(): Promise<SoakResult> {
    await this.#firstLife();
    if (!this.#isStopped) await this.#secondLife();
    const { problems, problemCount, looked } = this.#acknowledged;
    const counts = { operations: this.#operations, streams: this.#streams };
    return { samples: this.#samples, ...counts, looked, problems, problemCount };
  }

  async #firstLife(): Promise<void> {
    await using server = await this.#startServer();
    using client = new Client(server.url, "");
    await saveFlows(client, server.url);
    await using followers = new Followers(server.url);
    const chance = new Chance(this.#options.seed);
    const load = new Load({ client, acknowledged: this.#acknowledged, followers, chance });
    await this.#drive(server, load);
    [this.#operations, this.#streams] = [load.done, followers.opened];
    if (this.#isStopped) return;
    await this.#settle(load);
    await load.checkWritten();
    await followers[Symbol.asyncDispose]();
    const { code, log } = await server.kill("SIGTERM");
    if (code !== 0) this.#acknowledged.problem(`The server stopped with code ${code}:\n${log.slice(-2_000)}`);
    for (const [line] of log.matchAll(/^.*\bERROR\b.*$/gm)) this.#acknowledged.problem(line.slice(0, 500));
  }

  get #isStopped(): boolean {
    return this.#options.signal?.aborted ?? false;
  }

  /** What was acknowledged last must be there after a restart, too. */
  async #secondLife(): Promise<void> {
    await using server = await this.#startServer();
    using client = new Client(server.url, "");
    await using followers = new Followers(server.url);
    const load = new Load({ client, acknowledged: this.#acknowledged, followers, chance: new Chance(1) });
    await load.checkDue(Infinity);
    await load.checkWritten();
  }

  async #startServer(): Promise<ServerProcess> {
    const { folder, retention } = this.#options;
    return await ServerProcess.start({
      dataDir: `${folder}/data`,
      args: [
        ...["--log-level", "warn", "--scripts", "process"],
        ...["--retention-age", retention, "--audit-retention", retention],
      ],
    });
  }

  async #drive(server: ServerProcess, load: Load): Promise<void> {
    const { durationMs, rate } = this.#options;
    const endsAt = Date.now() + durationMs;
    const timers = [
      this.#every(this.#options.sampleMs, () => this.#sample(server)),
      this.#every(CHECK_MS, () => load.checkDue(Date.now())),
    ];
    const underWay = new Set<Promise<void>>();
    let hasEnded = false;
    void server.finished.then(() => hasEnded = true);
    for (let n = 0; Date.now() < endsAt && !hasEnded && !this.#isStopped; n++) {
      if (underWay.size >= MAX_UNDER_WAY) await Promise.race(underWay);
      const work = load.next().finally(() => underWay.delete(work));
      underWay.add(work);
      await pause(this.#startedAt + (n * 1_000) / rate - Date.now());
    }
    if (hasEnded) this.#acknowledged.problem(`The server ended:\n${server.log.slice(-5_000)}`);
    for (const stop of timers) await stop();
    await Promise.all(underWay);
  }

  /** Calls again and again, one call at a time, until the returned function is called. */
  #every(ms: number, work: () => Promise<void>): () => Promise<void> {
    let isOver = false;
    const loop = (async () => {
      while (!isOver) {
        await work().catch((error) => this.#acknowledged.problem(String(error)));
        await pause(ms);
      }
    })();
    return () => {
      isOver = true;
      return loop;
    };
  }

  async #sample(server: ServerProcess): Promise<void> {
    const { folder, report } = this.#options;
    const gauges = await readGauges({ pid: server.pid, url: server.url, dataDir: `${folder}/data` });
    this.#samples.push({ atMs: Date.now() - this.#startedAt, gauges });
    this.#options.sampled(this.#samples);
    if (Date.now() < this.#nextReportAt) return;
    this.#nextReportAt += REPORT_MS;
    const { rss, heap, database, wal, executions, live } = gauges;
    const [a, b, c, d] = [rss, heap, database, wal].map((bytes) => (bytes / 1e6).toFixed(1));
    const minutes = Math.round((Date.now() - this.#startedAt) / 60_000);
    report(
      `${minutes} min: rss ${a}, heap ${b}, database ${c}, wal ${d} MB, ${executions} executions, ${live} live, ` +
        `${this.#acknowledged.looked} looked at, ${this.#acknowledged.problemCount} problems`,
    );
  }

  async #settle(load: Load): Promise<void> {
    const endsAt = Date.now() + Math.min(SETTLE_MS, this.#options.durationMs);
    while (Date.now() < endsAt && this.#acknowledged.latest(1).length > 0) {
      await load.checkDue(Date.now());
      await pause(CHECK_MS);
    }
  }
}

async function saveFlows(client: Client, url: string): Promise<void> {
  const sources = [...Object.values(STARTED).map(({ source }) => source), ...triggeredFlows(url)];
  for (const body of sources) await client.json("POST", "/main/flows", { body, headers: YAML });
}

function pause(ms: number): Promise<void> {
  return ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms));
}
