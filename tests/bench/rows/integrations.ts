/** Row 27: what the integrations cost a server that uses none of them: memory, boot and the size of the binary. */
import type { Bench } from "../bench.ts";
import { inMegabytes, inMs, median, type RowResult, type ServerMetric } from "../figures.ts";
import { pause } from "../servers/server_under_test.ts";
import { buildWithoutIntegrations, embeddedBytes, PROJECT } from "../without_integrations.ts";
import type { Row } from "./row.ts";

const TURNS = 20;
const IDLE_MS = 2_000;
const MAX_GROWTH = 1.03;
const MAX_ADDED_MB = 25;

/** The server ÷ one whose registry of integrations is empty. */
export const integrationsRow: Row = {
  number: 27,
  name: "integrations",
  title: "idle memory, boot and binary ÷ those without integrations",
  measure,
};

/** Starts of one of the servers. */
class Starts {
  /** Until `/health` responds. Time of the processor, which the load of the machine changes less. */
  readonly bootCpuMs: number[] = [];
  readonly bootMs: number[] = [];
  readonly idleBytes: number[] = [];

  async add(bench: Bench, dataDir: string, script?: string): Promise<void> {
    await using server = await bench.startServer({ dataDir, script });
    this.bootCpuMs.push(await server.cpuMs());
    this.bootMs.push(server.bootMs);
    await pause(IDLE_MS);
    this.idleBytes.push(await server.residentBytes());
  }
}

async function measure(bench: Bench): Promise<RowResult> {
  const folder = await bench.freshFolder();
  const bareScript = await buildWithoutIntegrations(folder);
  const [dataDir, bareDataDir] = [await bench.freshFolder(), await bench.freshFolder()];
  let [all, bare] = [new Starts(), new Starts()];
  for (let turn = 0; turn <= TURNS; turn++) {
    await all.add(bench, dataDir);
    await bare.add(bench, bareDataDir, bareScript);
    // The first of each warms the cache of files, and makes what an empty folder lacks.
    if (turn === 0) [all, bare] = [new Starts(), new Starts()];
  }
  const added = await embeddedBytes(PROJECT) - await embeddedBytes(folder);
  return {
    figures: [
      growth("idle memory ÷ without integrations", inMegabytes, all.idleBytes, bare.idleBytes),
      growth("CPU of a boot ÷ without integrations", inMs, all.bootCpuMs, bare.bootCpuMs),
      {
        row: 27,
        name: "what integrations add to the binary",
        measured: `${(added / 1e6).toFixed(1)} MB`,
        limit: "",
        value: added / 1e6,
        unit: "MB",
        better: "lower",
        floor: MAX_ADDED_MB,
        goal: MAX_ADDED_MB,
      },
    ],
    notes: [`boot ${inMs(median(all.bootMs))}, without integrations ${inMs(median(bare.bootMs))}`],
  };
}

function growth(
  name: string,
  shown: (value: number) => string,
  all: readonly number[],
  bare: readonly number[],
): ServerMetric {
  const [measured, limit] = [meanOf(all), meanOf(bare)];
  return {
    row: 27,
    name,
    measured: shown(measured),
    limit: shown(limit),
    value: measured / limit,
    unit: "",
    better: "lower",
    floor: MAX_GROWTH,
    goal: 1,
  };
}

/** Means, since times of the processor come in steps of 10 ms. */
function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
