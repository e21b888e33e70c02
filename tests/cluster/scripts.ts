/**
 * `deno task test:cluster:scripts`: three servers and two workers, as `docs/deploy/compose.cluster.yaml` starts them,
 * run one flow of many scripts; its leader is killed on the way. Shows that each script ran, and which ones were repeated.
 */
import { print, runTask, type ValuesOf, wholeNumber } from "../support/processes/command_line.ts";
import { hasDenokv } from "../support/servers/denokv.ts";
import { WorkerProcess } from "../support/processes/worker_process.ts";
import { Cluster, type Member, pause } from "./cluster.ts";

const POLL_MS = 200;

interface ExecutionResponse {
  readonly id: string;
  readonly state: StateResponse;
  readonly taskRunList: readonly {
    readonly value?: string;
    readonly attempts?: readonly { readonly state: StateResponse }[];
  }[];
}

interface StateResponse {
  readonly current: string;
}

/** What is found after the end. */
interface ScriptsResult {
  readonly state: string;
  /** Values whose script did not run. */
  readonly missing: readonly string[];
  /** Values whose script ran again. */
  readonly repeated: readonly string[];
  /** Those without an attempt that ended RESUBMITTED. */
  readonly unexplained: readonly string[];
}

function flowOf(count: number, effects: string): string {
  const script = {
    id: "script",
    type: "io.svc.plugin.scripts.shell.Script",
    workerGroup: { key: "jobs" },
    script: `echo {{ taskrun.value }} >> ${effects}`,
  };
  const values = Array.from({ length: count }, (_, n) => `v${n}`);
  const each = {
    id: "each",
    type: "io.svc.plugin.core.flow.ForEach",
    values,
    concurrencyLimit: 16,
    tasks: [script],
  };
  return JSON.stringify({ id: "scripts", namespace: "demo", tasks: [each] });
}

/** Runs the flow and kills the leader when a third of its scripts have run. */
async function runScripts(folder: string, count: number): Promise<ScriptsResult> {
  const effects = `${folder}/effects`;
  await using cluster = await Cluster.start({
    folder,
    servers: 3,
    leaseTtl: "5s",
    args: ["--scripts", "off"],
  });
  const leader = await cluster.leader();
  const others = cluster.up.filter((member) => member !== leader);
  const urls = others.map(({ url }) => url);
  await using _first = await WorkerProcess.start(
    urls[0] ?? "",
    "w1",
    "--group",
    "jobs",
    "--concurrency",
    "8",
  );
  await using _second = await WorkerProcess.start(
    urls[1] ?? "",
    "w2",
    "--group",
    "jobs",
    "--concurrency",
    "8",
  );
  await send(leader, "POST", "/flows", flowOf(count, effects));
  const { id } = await send(leader, "POST", "/executions/demo/scripts");
  while ((await lines(effects)).length < count / 3) await pause(POLL_MS);
  const killedMs = performance.now();
  await leader.end("SIGKILL");
  const next = await cluster.leader(others);
  print(`The leader was killed; another one led after ${(performance.now() - killedMs).toFixed(0)} ms`);
  return compare(await endOf(next, id), await lines(effects), count);
}

function compare(
  { state, taskRunList }: ExecutionResponse,
  effects: readonly string[],
  count: number,
): ScriptsResult {
  const ran = new Map<string, number>();
  for (const value of effects) ran.set(value, 1 + (ran.get(value) ?? 0));
  const repeated = [...ran].filter(([, times]) => times > 1).map(([value]) => value);
  const resubmitted = new Set(
    taskRunList.filter(({ attempts = [] }) => attempts.some(({ state }) => state.current === "RESUBMITTED"))
      .map(({ value }) => String(value)),
  );
  return {
    state: state.current,
    missing: Array.from({ length: count }, (_, n) => `v${n}`).filter((value) => !ran.has(value)),
    repeated,
    unexplained: repeated.filter((value) => !resubmitted.has(value)),
  };
}

async function send(to: Member, method: string, path: string, body?: string): Promise<ExecutionResponse> {
  const headers = { "content-type": "application/x-yaml" };
  const response = await fetch(`${to.url}/api/v1/main${path}`, {
    method,
    ...body !== undefined && { headers, body },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function endOf(leader: Member, id: string): Promise<ExecutionResponse> {
  for (;;) {
    const execution = await send(leader, "GET", `/executions/${id}`);
    if (!/CREATED|RUNNING/.test(execution.state.current)) return execution;
    await pause(POLL_MS);
  }
}

async function lines(path: string): Promise<string[]> {
  const text = await Deno.readTextFile(path).catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

const OPTIONS = { scripts: wholeNumber("scripts of the flow", 1_000) };

async function run({ scripts: count }: ValuesOf<typeof OPTIONS>): Promise<number> {
  if (!hasDenokv()) {
    print("Skipped: there is no program denokv; the variable DENOKV names it");
    return 0;
  }
  const folder = await Deno.makeTempDir({ prefix: "sluice-scripts-" });
  const { state, missing, repeated, unexplained } = await runScripts(folder, count);
  print(
    `${count} scripts: ${state}; missing ${missing.length}, repeated ${repeated.length}, unexplained ${unexplained.length}`,
  );
  await Deno.remove(folder, { recursive: true });
  return state === "SUCCESS" && missing.length + unexplained.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTask("test:cluster:scripts", OPTIONS, run);
