/** Fills a store through the server itself: many flows, labels, some failures, and executions scheduled far ahead. */
import { createFlow, search, startPath } from "./api.ts";
import type { Bench } from "./bench.ts";
import { pause, type ServerUnderTest } from "./server_under_test.ts";

/** A full store. */
export interface SeededStore {
  readonly dataDir: string;
  readonly executions: number;
  readonly scheduled: number;
  /** Memory of the process that ran them, two seconds after the last. */
  readonly residentBytes: number;
}

const FLOWS = 50;
const NAMESPACES = 10;
/** One flow in {@link FLOWS} fails. */
const FAILING_FLOW = FLOWS - 1;
const CUSTOMERS = 500;
const CONNECTIONS = 64;
const CHUNK_SECONDS = 10;
/** Scheduled executions for each of the others. */
const SCHEDULED_SHARE = 0.1;
const FAR_AHEAD = "2099-01-01T00:00:00Z";
const SETTLE_MS = 2_000;

/** Namespace of a seeded flow. */
export function seededNamespace(flow: number): string {
  return `bench.team${flow % NAMESPACES}`;
}

/** Id of a seeded flow. */
export function seededFlowId(flow: number): string {
  return `flow-${flow}`;
}

/** Fills a fresh store with `bench.options.executions` executions and a tenth as many scheduled ones. */
export async function seed(bench: Bench): Promise<SeededStore> {
  const { executions } = bench.options;
  const dataDir = await bench.freshFolder();
  await using server = await bench.startServer({ dataDir });
  for (let flow = 0; flow < FLOWS; flow++) await createFlow(server.url, source(flow));
  bench.say(`  stores ${executions} executions`);
  await startUntil(bench, server, startPaths(), executions);
  await pause(SETTLE_MS);
  const residentBytes = await server.residentBytes();
  const stored = (await search(server.url, "?size=1")).total;
  const scheduled = Math.ceil(executions * SCHEDULED_SHARE);
  bench.say(`  stores ${scheduled} scheduled ones`);
  const scheduledPath = startPath(seededFlowId(0), `?scheduleDate=${FAR_AHEAD}`, seededNamespace(0));
  await startUntil(bench, server, [scheduledPath], stored + scheduled);
  return { dataDir, executions: stored, scheduled, residentBytes };
}

/** Puts load on the server until that many executions are stored: at first for as long as the rate so far suggests. */
export async function startUntil(
  bench: Bench,
  server: ServerUnderTest,
  paths: readonly string[],
  wanted: number,
): Promise<void> {
  let seconds = 1;
  for (let total = (await search(server.url, "?size=1")).total; total < wanted;) {
    const { accepted, failed, seconds: took } = await bench.generator.run({
      url: server.url,
      method: "POST",
      paths,
      connections: CONNECTIONS,
      seconds,
    });
    if (accepted === 0) throw new Error(`Cannot fill the store: ${failed} starts failed, none was accepted`);
    total = (await search(server.url, "?size=1")).total;
    seconds = Math.max(1, Math.min(CHUNK_SECONDS, (wanted - total) / (accepted / took)));
  }
}

function source(flow: number): string {
  const task = flow === FAILING_FLOW
    ? `{id: t, type: io.svc.plugin.core.execution.Fail, errorMessage: always}`
    : `{id: t, type: io.svc.plugin.core.debug.Return, format: "value ${flow}"}`;
  return `id: ${seededFlowId(flow)}\nnamespace: ${seededNamespace(flow)}\nlabels: {team: "${
    flow % 7
  }"}\ntasks: [${task}]\n`;
}

/** Flows in turn; each customer's label comes back after a while. */
function startPaths(): string[] {
  return Array.from({ length: CUSTOMERS }, (_, index) => {
    const flow = index % FLOWS;
    const env = index % 3 === 0 ? "prod" : "dev";
    const kind = index % 100 === 7 ? "&kind=TEST" : "";
    const query = `?labels=env:${env}&labels=customer:${index}${kind}`;
    return startPath(seededFlowId(flow), query, seededNamespace(flow));
  });
}
