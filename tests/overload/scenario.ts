/** One scenario: a new server, attacks on it, clients that measure, and a check of what they were promised. */
import { residentBytes } from "../bench/process_stats.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { AttackProcess } from "./attack_process.ts";
import type { Attack } from "./attacks/attack.ts";
import { observe } from "./observer.ts";
import type { ScenarioResult } from "./report.ts";
import { ask, LOGIN, saveFlow, type Target, targetAt } from "./target.ts";

/** How to run it. */
export interface ScenarioOptions {
  readonly name: string;
  /** None for the measurement without an attack. */
  readonly attacks: readonly Attack[];
  readonly seconds: number;
  readonly connections: number;
}

/** Longest time until the attacks are at their height. */
const BUILD_UP_SECONDS = 60;
const MEMORY_INTERVAL_MS = 250;
/** Lookups of starts that are under way at once. */
const LOOKUPS_AT_ONCE = 16;

/** Runs a scenario in an empty folder. */
export async function runScenario(folder: string, options: ScenarioOptions): Promise<ScenarioResult> {
  await using server = await startServer(folder);
  let hasEnded = false;
  void server.finished.then(() => hasEnded = true);
  const target = targetAt(server.url);
  await saveFlow(target, "plain", [
    "tasks:",
    "  - {id: done, type: io.svc.plugin.core.debug.Return, format: done}",
  ]);
  for (const attack of options.attacks) await attack.prepare?.(target);
  const memory = new MemoryWatch(server.pid);
  const { seconds, connections } = options;
  const settings = { url: target.url, connections, seconds: BUILD_UP_SECONDS + seconds };
  await using attackers = new AsyncDisposableStack();
  const processes = options.attacks.map((attack) => attackers.use(new AttackProcess(attack.name, settings)));
  await atMost(Promise.all(processes.map((each) => each.ready)), BUILD_UP_SECONDS * 1_000);
  const observation = await observe(target, seconds);
  await attackers.disposeAsync();
  const peakBytes = memory.stop();
  const hasDied = hasEnded;
  await server.kill("SIGTERM");
  return {
    ...observation,
    name: options.name,
    attack: processes.map((each) => each.report).join("; "),
    acknowledged: observation.acknowledged.length,
    lost: await countLost(folder, observation.acknowledged),
    residentBytes: peakBytes,
    hasDied,
  };
}

/** All clients of the run have one address, so the limit of an address must not protect the others. */
function startServer(dataDir: string): Promise<ServerProcess> {
  const args = ["--max-connections-per-address", "1000000"];
  return ServerProcess.start({ dataDir, args, env: { SLUICE_BASIC_AUTH: LOGIN } });
}

/** Of a server that is started anew on the same data: what is only in memory does not count. */
async function countLost(folder: string, ids: readonly string[]): Promise<number> {
  await using server = await startServer(folder);
  const target = targetAt(server.url);
  let lost = 0;
  for (let first = 0; first < ids.length; first += LOOKUPS_AT_ONCE) {
    const found = await Promise.all(
      ids.slice(first, first + LOOKUPS_AT_ONCE).map((id) => isThere(target, id)),
    );
    lost += found.filter((isFound) => !isFound).length;
  }
  return lost;
}

async function isThere(target: Target, id: string): Promise<boolean> {
  return await ask(target, "GET", `/executions/${id}`).then(() => true, () => false);
}

/** The most resident memory of a process. */
class MemoryWatch {
  readonly #timer: ReturnType<typeof setInterval>;
  #peakBytes = 0;

  constructor(pid: number) {
    this.#timer = setInterval(async () => {
      // It is gone when the process has ended.
      const bytes = await residentBytes(pid).catch(() => 0);
      this.#peakBytes = Math.max(this.#peakBytes, bytes);
    }, MEMORY_INTERVAL_MS);
  }

  stop(): number {
    clearInterval(this.#timer);
    return this.#peakBytes;
  }
}

async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}
