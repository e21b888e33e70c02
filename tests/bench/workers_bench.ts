/**
 * Measures workers: the rate of scripts that sleep with 1, 2 and 4 workers, which the number of workers limits; that of
 * scripts that do nothing, which processors limit, also by the server alone; and what 1,000 idle workers cost the server.
 * `deno task bench:workers [--idle 1000] [--seconds 20] [--rounds 6] [--scripts 400]`
 */
import { parseArgs } from "node:util";
import { IDLE_HEARTBEAT_MS } from "../../src/model/http/worker_protocol.ts";
import { WorkerProcess } from "../support/processes/worker_process.ts";
import { createFlow, flowOf } from "./api.ts";
import { ServerUnderTest } from "./servers/server_under_test.ts";

const SLEEP_SECONDS = 2;
const CONCURRENCY = 2;
/** Scripts under way at once in a measurement of scripts that do nothing. */
const CLIENTS = 8;

const { values } = parseArgs({
  options: {
    idle: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
    rounds: { type: "string", default: "6" },
    scripts: { type: "string", default: "400" },
  },
});

interface ScriptLoad {
  /** 0: the server runs the scripts itself. */
  readonly workers: number;
  /** Scripts that one worker runs at once. */
  readonly concurrency: number;
  readonly command: string;
  /** Scripts in all, and how many of them are under way at once. */
  readonly count: number;
  readonly clients: number;
}

/** Scripts a second. */
async function scriptRate({ workers, concurrency, command, count, clients }: ScriptLoad): Promise<number> {
  const dataDir = await Deno.makeTempDir({ prefix: "sluice-bench-" });
  const args = ["--scripts", workers === 0 ? "process" : "off"];
  await using server = await ServerUnderTest.start({ dataDir, args });
  await using processes = new AsyncDisposableStack();
  for (let number = 0; number < workers; number++) {
    const options = ["--group", "bench", "--concurrency", String(concurrency)];
    processes.use(await WorkerProcess.start(server.url, `w${number}`, ...options));
  }
  const group = workers === 0 ? "" : "workerGroup: {key: bench}, ";
  const task = `{id: t, type: io.svc.plugin.scripts.shell.Commands, ${group}commands: ["${command}"]}`;
  await createFlow(server.url, flowOf("script", task));
  await runMany(server.url, clients, clients);
  const start = performance.now();
  await runMany(server.url, count, clients);
  return count * 1000 / (performance.now() - start);
}

/** Rate of scripts that sleep, all workers busy. */
function sleepRate(workers: number, rounds: number): Promise<number> {
  const clients = workers * CONCURRENCY;
  const command = `sleep ${SLEEP_SECONDS}`;
  return scriptRate({ workers, concurrency: CONCURRENCY, command, count: clients * rounds, clients });
}

async function runMany(url: string, count: number, clients: number): Promise<void> {
  let left = count;
  const client = async () => {
    while (left-- > 0) await runOnce(url);
  };
  await Promise.all(Array.from({ length: clients }, client));
}

async function runOnce(url: string): Promise<void> {
  const response = await fetch(`${url}/api/v1/main/executions/bench/script?wait=true`, { method: "POST" });
  const { state } = await response.json();
  if (state.current !== "SUCCESS") throw new Error(`The execution ended ${state.current}`);
}

/** Share of a core that the server needs for idle workers: with their heartbeats, and without a worker. */
async function idleShare(workers: number, seconds: number): Promise<[share: number, without: number]> {
  const dataDir = await Deno.makeTempDir({ prefix: "sluice-bench-" });
  await using server = await ServerUnderTest.start({ dataDir });
  const shareOf = async () => {
    const before = await server.cpuMs();
    await new Promise((go) => setTimeout(go, seconds * 1000));
    return (await server.cpuMs() - before) / (seconds * 1000);
  };
  const without = await shareOf();
  const over = new AbortController();
  for (let number = 0; number < workers; number++) {
    await connectIdle(server.url, `idle-${number}`, over.signal);
  }
  await new Promise((go) => setTimeout(go, IDLE_HEARTBEAT_MS));
  const share = await shareOf();
  over.abort();
  return [share, without];
}

async function connectIdle(url: string, id: string, signal: AbortSignal): Promise<void> {
  const hello = { id, name: id, version: "1", groups: ["idle"], concurrency: 1, leases: [] };
  const post = (path: string, body: object) =>
    fetch(`${url}/api/v1/worker${path}`, { method: "POST", body: JSON.stringify(body), signal });
  const stream = await post("/connect", hello);
  if (!stream.ok) throw new Error(await stream.text());
  const beat = async () => {
    await (await post("/heartbeat", { id, leases: [] })).body?.cancel();
  };
  const timer = setInterval(() => void beat().catch(() => clearInterval(timer)), IDLE_HEARTBEAT_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  stream.body?.pipeTo(new WritableStream()).catch(() => {});
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

if (import.meta.main) {
  const one = await sleepRate(1, Number(values.rounds));
  print(`1 worker: ${one.toFixed(2)} scripts/s of ${SLEEP_SECONDS} s, ${CONCURRENCY} at a time`);
  for (const workers of [2, 4]) {
    const rate = await sleepRate(workers, Number(values.rounds));
    print(
      `${workers} workers: ${rate.toFixed(2)} scripts/s = ${(rate / one / workers).toFixed(3)} × ${workers}`,
    );
  }
  const short = { concurrency: CLIENTS, command: "true", count: Number(values.scripts), clients: CLIENTS };
  const alone = await scriptRate({ ...short, workers: 0 });
  print(`the server alone: ${alone.toFixed(0)} scripts/s that do nothing, ${CLIENTS} at a time`);
  for (const workers of [1, 2, 4]) {
    const rate = await scriptRate({ ...short, workers });
    print(
      `${workers} remote: ${rate.toFixed(0)} scripts/s that do nothing = ${(rate / alone).toFixed(2)} of it`,
    );
  }
  const [share, without] = await idleShare(Number(values.idle), Number(values.seconds));
  const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
  print(`${values.idle} idle workers: ${percent(share)} of a core, ${percent(without)} without`);
}
