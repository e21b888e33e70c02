/**
 * `deno task test:cluster:rehearsals`: what the campaigns do not show. A script on a worker
 * during an outage of the database, webhooks by GET while the leader is killed, starts while leaders are stopped in order, and
 * the first request after all of six servers without addresses were killed.
 */
import { WorkerProcess } from "../support/processes/worker_process.ts";
import { names, print, runTask, type ValuesOf, wholeNumber } from "../support/processes/command_line.ts";
import { hasDenokv } from "../support/servers/denokv.ts";
import { Cluster, type Member, pause } from "./cluster.ts";
import { stopLeaders } from "./orderly_stops.ts";

const OUTAGE_MS = 10_000;
const POLL_MS = 200;
const WEBHOOK_KEY = "0123456789abcdef0123456789abcdef";
const CALL_MS = 100;
const CALL_TIMEOUT_MS = 20_000;
const STOPS = 10;
/** As on Deno Deploy. */
const DEPLOY_TTL = "10s";
/** From the start of a server to the first response: the lease of the one before has to end. */
const MAX_FIRST_MS = 12_000;

interface ExecutionResponse {
  readonly id: string;
  readonly state: { readonly current: string };
  readonly trigger?: { readonly variables: { readonly parameters: { readonly call: readonly string[] } } };
  readonly taskRunList?: readonly { readonly attempts?: readonly unknown[] }[];
}

async function call(url: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: "" };
  }
}

async function save({ url }: Member, flow: unknown): Promise<void> {
  const headers = { "content-type": "application/x-yaml" };
  const { status, text } = await call(`${url}/api/v1/main/flows`, {
    method: "POST",
    headers,
    body: JSON.stringify(flow),
  });
  if (status !== 200) throw new Error(`The flow is refused: ${status} ${text}`);
}

/** True when the script has run once, in one attempt. */
async function outage(folder: string, seconds: number): Promise<boolean> {
  const args = ["--scripts", "off"];
  await using cluster = await Cluster.start({ folder, servers: 2, leaseTtl: "5s", args });
  const leader = await cluster.leader();
  await using _worker = await WorkerProcess.start(leader.url, "w", "--group", "jobs");
  const effects = `${folder}/effects`;
  const script = `echo begun >> ${effects}; sleep ${seconds}; echo over >> ${effects}`;
  const type = "io.svc.plugin.scripts.shell.Script";
  const task = { id: "script", type, workerGroup: { key: "jobs" }, script };
  await save(leader, { id: "long", namespace: "demo", tasks: [task] });
  const started = await call(`${leader.url}/api/v1/main/executions/demo/long`, { method: "POST" });
  const { id } = JSON.parse(started.text) as ExecutionResponse;
  while (await Deno.readTextFile(effects).catch(() => "") === "") await pause(POLL_MS);
  await cluster.interruptDatabase(OUTAGE_MS);
  const { state, taskRunList = [] } = await endOf(cluster, id);
  const attempts = taskRunList[0]?.attempts?.length;
  const lines = (await Deno.readTextFile(effects)).trim().split("\n");
  print(
    `outage of ${OUTAGE_MS} ms, script of ${seconds} s: ${state.current}, attempts ${attempts}, ${
      lines.join(", ")
    }`,
  );
  return state.current === "SUCCESS" && attempts === 1 && lines.length === 2;
}

async function endOf(cluster: Cluster, id: string): Promise<ExecutionResponse> {
  for (;;) {
    const [{ url } = { url: "" }] = cluster.up;
    const { status, text } = await call(`${url}/api/v1/main/executions/${id}`);
    if (status === 200) {
      const execution = JSON.parse(text) as ExecutionResponse;
      if (!/CREATED|RUNNING/.test(execution.state.current)) return execution;
    }
    await pause(POLL_MS);
  }
}

/** True when each call with 200 has started one execution, each with 503 none, and each other one at the most. */
async function webhooks(folder: string): Promise<boolean> {
  await using cluster = await Cluster.start({ folder, servers: 3, leaseTtl: "5s" });
  const leader = await cluster.leader();
  const trigger = { id: "hook", type: "io.svc.plugin.core.trigger.Webhook", key: WEBHOOK_KEY };
  const task = { id: "a", type: "io.svc.plugin.core.debug.Return", format: "x" };
  await save(leader, { id: "hooked", namespace: "demo", triggers: [trigger], tasks: [task] });
  const others = cluster.up.filter((member) => member !== leader);
  const statuses = new Map<string, number>();
  const calls: Promise<unknown>[] = [];
  let isOver = false;
  const calling = (async () => {
    for (let n = 0; !isOver; n++) {
      const path = `/api/v1/main/executions/webhook/demo/hooked/${WEBHOOK_KEY}?call=c${n}`;
      const { url } = others[n % others.length] ?? leader;
      calls.push(call(url + path).then(({ status }) => statuses.set(`c${n}`, status)));
      await pause(CALL_MS);
    }
  })();
  await pause(2_000);
  await leader.end("SIGKILL");
  const next = await cluster.leader(others);
  await pause(2_000);
  isOver = true;
  await calling;
  await Promise.all(calls);
  const counts = await countsOf(next);
  const wrong = [...statuses].filter(([name, status]) => {
    const count = counts.get(name) ?? 0;
    return status === 200 ? count !== 1 : status === 503 ? count !== 0 : count > 1;
  });
  const byStatus = Map.groupBy(statuses.values(), (status) => status);
  const texts = [...byStatus].map(([status, all]) => `${all.length} × ${status}`);
  print(`webhooks by GET during a take-over: ${texts.join(", ")}; wrong ${wrong.length}`);
  return wrong.length === 0 && (byStatus.get(200)?.length ?? 0) > 0;
}

/** True when each start at a follower is acknowledged, while the leaders are stopped one after the other. */
async function stops(folder: string): Promise<boolean> {
  const { statuses, longestMs } = await stopLeaders(folder, { stops: STOPS, servers: 3 });
  const texts = [...statuses].map(([status, count]) => `${count} × ${status}`);
  print(`starts at followers during ${STOPS} stops: ${texts.join(", ")}; longest ${longestMs.toFixed(0)} ms`);
  return [...statuses.keys()].every((status) => status === 200);
}

/** Executions by the number of their call. */
async function countsOf({ url }: Member): Promise<Map<string, number>> {
  const { text } = await call(`${url}/api/v1/main/executions/search?namespace=demo&size=1000`);
  const { results } = JSON.parse(text) as { results: readonly ExecutionResponse[] };
  const counts = new Map<string, number>();
  for (const { trigger } of results) {
    const name = trigger?.variables.parameters.call[0] ?? "";
    counts.set(name, 1 + (counts.get(name) ?? 0));
  }
  return counts;
}

/** True when the first request has its response in time. */
async function allGone(folder: string): Promise<boolean> {
  await using cluster = await Cluster.start({
    folder,
    servers: 6,
    leaseTtl: DEPLOY_TTL,
    hasNoAddresses: true,
  });
  const task = { id: "a", type: "io.svc.plugin.core.debug.Return", format: "x" };
  await save(await cluster.leader(), { id: "one", namespace: "demo", tasks: [task] });
  await Promise.all(cluster.members.map((member) => member.end("SIGKILL")));
  const [first, second] = cluster.members;
  const sinceMs = performance.now();
  const starting = Promise.all([first?.start(), second?.start()]);
  const url = `${first?.url}/api/v1/main/executions/demo/one`;
  while ((await call(url, { method: "POST" })).status !== 200) await pause(POLL_MS);
  const ms = performance.now() - sinceMs;
  await starting;
  print(`first request after all six were gone: ${ms.toFixed(0)} ms`);
  return ms <= MAX_FIRST_MS;
}

const REHEARSALS = { stops, webhooks, allGone, outage };
const OPTIONS = {
  "script-seconds": wholeNumber("length of the script during the outage, in seconds", 60),
  "only": names("rehearsals", Object.keys(REHEARSALS)),
};

async function run({ "script-seconds": seconds, only }: ValuesOf<typeof OPTIONS>): Promise<number> {
  if (!hasDenokv()) {
    print("Skipped: there is no program denokv; the variable DENOKV names it");
    return 0;
  }
  let failed = 0;
  for (const [name, rehearse] of Object.entries(REHEARSALS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const folder = await Deno.makeTempDir({ prefix: "sluice-rehearsal-" });
    if (!await rehearse(folder, seconds)) failed++;
    await Deno.remove(folder, { recursive: true });
  }
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) await runTask("test:cluster:rehearsals", OPTIONS, run);
