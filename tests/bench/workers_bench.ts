/**
 * Measures workers: the rate of scripts that sleep with 1, 2 and 4 workers, and what 1,000 idle workers cost the server.
 * `deno run -A tests/bench/workers_bench.ts [--idle 1000] [--seconds 20] [--rounds 6]`
 */
import { parseArgs } from "node:util";
import { HEARTBEAT_MS } from "../../src/model/http/worker_protocol.ts";
import { WorkerProcess } from "../support/processes/worker_process.ts";
import { createFlow, flowOf } from "./api.ts";
import { ServerUnderTest } from "./server_under_test.ts";

const SLEEP_SECONDS = 2;
const CONCURRENCY = 2;

const { values } = parseArgs({
  options: {
    idle: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
    rounds: { type: "string", default: "6" },
  },
});

/** Scripts a second with that many workers. */
async function scriptRate(workers: number, rounds: number): Promise<number> {
  const dataDir = await Deno.makeTempDir({ prefix: "sluice-bench-" });
  await using server = await ServerUnderTest.start({ dataDir, args: ["--scripts", "off"] });
  await using processes = new AsyncDisposableStack();
  for (let number = 0; number < workers; number++) {
    const args = ["--group", "bench", "--concurrency", String(CONCURRENCY)];
    processes.use(await WorkerProcess.start(server.url, `w${number}`, ...args));
  }
  const script = "{id: t, type: io.svc.plugin.scripts.shell.Commands, workerGroup: {key: bench}, ";
  await createFlow(server.url, flowOf("sleeps", `${script} commands: ["sleep ${SLEEP_SECONDS}"]}`));
  const count = workers * CONCURRENCY * rounds;
  const start = performance.now();
  await Promise.all(Array.from({ length: count }, () => runOnce(server.url)));
  return count * 1000 / (performance.now() - start);
}

async function runOnce(url: string): Promise<void> {
  const response = await fetch(`${url}/api/v1/main/executions/bench/sleeps?wait=true`, { method: "POST" });
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
  await new Promise((go) => setTimeout(go, HEARTBEAT_MS));
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
  const timer = setInterval(() => void beat().catch(() => clearInterval(timer)), HEARTBEAT_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  stream.body?.pipeTo(new WritableStream()).catch(() => {});
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

if (import.meta.main) {
  const one = await scriptRate(1, Number(values.rounds));
  print(`1 worker: ${one.toFixed(2)} scripts/s of ${SLEEP_SECONDS} s, ${CONCURRENCY} at a time`);
  for (const workers of [2, 4]) {
    const rate = await scriptRate(workers, Number(values.rounds));
    print(
      `${workers} workers: ${rate.toFixed(2)} scripts/s = ${(rate / one / workers).toFixed(3)} × ${workers}`,
    );
  }
  const [share, without] = await idleShare(Number(values.idle), Number(values.seconds));
  const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
  print(`${values.idle} idle workers: ${percent(share)} of a core, ${percent(without)} without`);
}
