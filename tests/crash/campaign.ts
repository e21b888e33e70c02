/** Kills a server again and again under load, on the same data, and looks after each restart at what is left. */
import { Chance } from "./chance.ts";
import type { Client } from "./client.ts";
import { Findings } from "./verification/findings.ts";
import { readEffects, type Span } from "./verification/execution_check.ts";
import { FLOW_IDS, flowSource } from "./flows/flows.ts";
import { Ledger } from "./verification/ledger.ts";
import { runLoad } from "./load.ts";
import { markedProcesses, type Processes, survivorsOf } from "./verification/orphans.ts";
import { createServerFiles, CREDENTIALS, type ServerFiles, ServerUnderCrash } from "./server_under_crash.ts";
import { verifyData } from "./verification/verify_data.ts";
import { type VerifyDeps, verifyExecutions, verifySettled } from "./verification/verify_executions.ts";
import { adoptUnacknowledged, verifyList } from "./verification/verify_list.ts";
import { verifyRelations } from "./verification/verify_relations.ts";
import { verifyStored } from "./verification/verify_stored.ts";
import { stopTicking, verifyTicks } from "./verification/verify_ticks.ts";

/** How to run a campaign. */
export interface CampaignOptions {
  readonly cycles: number;
  readonly seed: number;
  /** Folder for the data and the effects. */
  readonly folder: string;
  readonly workers: number;
  /** Longest life under load, in milliseconds. */
  readonly maxLifeMs: number;
  /** Told of each cycle. */
  readonly report: (line: string) => void;
}

/** What a campaign did and found. */
export interface CampaignResult {
  readonly acknowledged: number;
  readonly executions: number;
  readonly crashes: number;
  /** Executions by flow. */
  readonly flows: ReadonlyMap<string, number>;
  /** Dates at which schedules were due. */
  readonly ticks: number;
  /** Attempts of scripts that have begun. */
  readonly scripts: number;
  readonly findings: Findings;
}

const MIN_LIFE_MS = 300;
/** A life goes on until so much was acknowledged, where the machine does much else, but not longer than the bound. */
const MIN_ACKNOWLEDGED = 10;
const MAX_LONGER_MS = 60_000;
const POLL_MS = 20;
/** A boot takes less; most of these kills land before the server is ready. */
const MAX_BOOT_LIFE_MS = 700;
const BOOT_KILL_SHARE = 0.35;
const VERIFY_SHARE = 0.75;
/** Before some of the kills; not all, since what comes before a kill should not always be the same. */
const PROBE_SHARE = 0.4;
const PROBE_TIMEOUT_MS = 60_000;
/** An execution, what it causes, and what that causes. */
const ROUNDS = 3;
const YAML = { "content-type": "application/x-yaml" };

/** Runs all cycles; gives what was found. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const campaign = new Campaign(options, await createServerFiles(options.folder));
  await campaign.setUp();
  for (let cycle = 1; cycle <= options.cycles; cycle++) await campaign.runCycle(cycle);
  await campaign.finish();
  return campaign.result;
}

class Campaign {
  readonly #options: CampaignOptions;
  readonly #files: ServerFiles;
  readonly #chance: Chance;
  readonly #ledger = new Ledger();
  readonly #findings = new Findings();
  /** Tells processes of this run from all others. */
  readonly #mark = `crash-${crypto.randomUUID()}`;
  /** Processes of scripts that the last server had when it was killed. */
  #former: Processes = new Set();
  #saved: Span = { from: 0, to: 0 };
  #ticks = 0;
  #scripts = 0;
  /** A token: a password costs two hashes after each restart, and the kill would often come before the load. */
  #authorization = `Basic ${btoa(CREDENTIALS)}`;

  constructor(options: CampaignOptions, files: ServerFiles) {
    this.#options = options;
    this.#files = files;
    this.#chance = new Chance(options.seed);
  }

  get result(): CampaignResult {
    const { acknowledged, crashes, executions } = this.#ledger;
    const flows = new Map<string, number>();
    for (const { flow } of executions.values()) flows.set(flow, (flows.get(flow) ?? 0) + 1);
    const counts = { ticks: this.#ticks, scripts: this.#scripts };
    return { acknowledged, crashes, executions: executions.size, flows, ...counts, findings: this.#findings };
  }

  /** A server that is ready, and its flows. */
  async setUp(): Promise<void> {
    await using server = ServerUnderCrash.spawn(this.#files);
    const client = await server.ready(this.#authorization);
    const body = JSON.stringify({ name: "campaign" });
    const headers = { "content-type": "application/json" };
    const { fullToken } = await client.json<{ fullToken: string }>("POST", "/me/api-tokens", {
      body,
      headers,
    });
    this.#authorization = `Bearer ${fullToken}`;
    const from = Date.now();
    const places = { lines: this.#files.effects, mark: this.#mark };
    for (const id of FLOW_IDS) {
      await client.json("POST", "/main/flows", { body: flowSource(id, places), headers: YAML });
    }
    this.#saved = { from, to: Date.now() };
    await this.#killed(server);
  }

  /** One life: perhaps killed while it starts before, then looked at, put under load, and killed. */
  async runCycle(cycle: number): Promise<void> {
    if (this.#chance.holds(BOOT_KILL_SHARE)) await this.#killAtBoot();
    await using server = ServerUnderCrash.spawn(this.#files);
    const client = await this.#ready(server);
    const isVerified = this.#chance.holds(VERIFY_SHARE);
    if (isVerified) await this.#verify(client);
    const before = this.#ledger.acknowledged;
    const lifeMs = this.#chance.between(MIN_LIFE_MS, this.#options.maxLifeMs);
    const deps = { client, ledger: this.#ledger, findings: this.#findings };
    const load = runLoad(deps, this.#chance.fork(), this.#options.workers);
    await pause(lifeMs);
    await this.#untilAcknowledged(before + MIN_ACKNOWLEDGED);
    if (this.#chance.holds(PROBE_SHARE)) await this.#probe(client);
    await this.#killed(server);
    await load;
    await verifyData(this.#files.dataDir, this.#findings);
    this.#options.report(
      `cycle ${cycle}: ${lifeMs.toFixed(0)} ms, ${this.#ledger.acknowledged - before} acknowledged, ` +
        `${this.#ledger.openExecutions().length} open, ${this.#findings.total} findings`,
    );
  }

  /** A last life without load: everything ends, everything is looked at, and the server stops in good order. */
  async finish(): Promise<void> {
    await using server = ServerUnderCrash.spawn(this.#files);
    const deps = this.#deps(await this.#ready(server));
    const stopped = await stopTicking(deps.client, this.#findings);
    // What was running may have started others meanwhile.
    for (let round = 0; round < ROUNDS; round++) {
      await adoptUnacknowledged(deps);
      await verifyExecutions(deps, Infinity);
    }
    verifyRelations(deps);
    this.#ticks = verifyTicks(deps, this.#saved, stopped);
    this.#scripts = await countScripts(deps);
    await this.#noteOrphans(markedProcesses(this.#mark), "when all executions have ended");
    await verifyStored(deps);
    await verifySettled(deps);
    await verifyList(deps);
    const code = await server.stop();
    if (code !== 0) this.#findings.add("stuck", "server", `it stops with code ${code}:\n${server.log}`);
    await verifyData(this.#files.dataDir, this.#findings);
  }

  /** Ready, and no script of the server before it is left. */
  async #ready(server: ServerUnderCrash): Promise<Client> {
    const client = await server.ready(this.#authorization);
    await this.#noteOrphans(this.#former, "after the next start");
    this.#former = new Set();
    return client;
  }

  async #noteOrphans(former: Processes, when: string): Promise<void> {
    for (const each of await survivorsOf(former, this.#mark)) {
      this.#findings.add("orphaned", `process ${each}`, `it is alive ${when}`);
    }
  }

  async #verify(client: Client): Promise<void> {
    const deps = this.#deps(client);
    await verifyExecutions(deps, Date.now());
    await verifyStored(deps);
  }

  #deps(client: Client): VerifyDeps {
    return { client, ledger: this.#ledger, findings: this.#findings, effects: this.#files.effects };
  }

  async #killAtBoot(): Promise<void> {
    await using server = ServerUnderCrash.spawn(this.#files);
    await pause(this.#chance.between(0, MAX_BOOT_LIFE_MS));
    await this.#killed(server);
  }

  async #untilAcknowledged(count: number): Promise<void> {
    const deadline = performance.now() + MAX_LONGER_MS;
    while (this.#ledger.acknowledged < count && performance.now() < deadline) await pause(POLL_MS);
  }

  /** A server that is busy still answers. */
  async #probe(client: Client): Promise<void> {
    const timer = setTimeout(() => client[Symbol.dispose](), PROBE_TIMEOUT_MS);
    const outcome = await client.send("GET", "/main/flows/search?size=1");
    clearTimeout(timer);
    if (outcome.type !== "acknowledged") {
      this.#findings.add(
        "stuck",
        "server",
        `no answer within ${PROBE_TIMEOUT_MS} ms: ${JSON.stringify(outcome)}`,
      );
    }
  }

  async #killed(server: ServerUnderCrash): Promise<void> {
    const from = Date.now();
    await server.kill();
    this.#ledger.crashSpans.push({ from, to: Date.now() });
    this.#former = new Set([...this.#former, ...markedProcesses(this.#mark)]);
    // A boot that refuses to go on is told by the log of the next one's failure; anything else here is a bug's trace.
    const [problem] = /^.*\bERROR\b.*$/m.exec(server.log) ?? [];
    if (problem) this.#findings.add("illegal", `log ${problem.slice(25)}`, problem.slice(0, 500));
  }
}

async function countScripts({ effects, ledger }: VerifyDeps): Promise<number> {
  const { acting, effects: attempts } = await readEffects(effects);
  let count = 0;
  for (const [executionId, taskRunIds] of acting) {
    if (!/^(script|directory)$/.test(ledger.executions.get(executionId)?.flow ?? "")) continue;
    for (const taskRunId of taskRunIds) count += attempts.get(taskRunId)?.length ?? 0;
  }
  return count;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
