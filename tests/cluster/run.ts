/** `deno task test:cluster`: kills, stops and freezes leaders under load. */
import {
  flag,
  print,
  runTask,
  seedNumber,
  type ValuesOf,
  wholeNumber,
} from "../support/processes/command_line.ts";
import { hasDenokv } from "../support/servers/denokv.ts";
import type { ProxyFault } from "../support/servers/database_proxy.ts";
import { Chance } from "../crash/chance.ts";
import { type Blow, type CampaignResult, runCampaign } from "./campaign.ts";

const BLOWS: readonly (readonly [number, Blow])[] = [[2, "kill"], [1, "stop"], [1, "freeze"]];
/** In 1,000 requests to the database; those that hang end after the time-out of ten seconds. */
const FAULTS: readonly (readonly [number, ProxyFault])[] = [
  [965, "none"],
  [10, "cut"],
  [10, "swallow"],
  [10, "late"],
  [1, "hang"],
  [4, "slow"],
];
/** Interval at which late requests reach the database. */
const LAND_MS = 700;

function summary(result: CampaignResult): string[] {
  const { acknowledged, refused, pauses, lost, doubled, notEnded, problems } = result;
  return [
    `acknowledged ${acknowledged}; refused by status (0: no response): ${
      [...refused].map(([status, count]) => `${count} × ${status}`).join(", ") || "none"
    }`,
    ...[...pauses].map(([blow, ms]) => `${blow}: ${ms.length} times, next start after ${spread(ms)} ms`),
    `lost ${lost.length}, doubled ${doubled.length}, not ended ${notEnded.length}, other ${problems.length}`,
    ...[...lost, ...doubled, ...notEnded, ...problems].slice(0, 20).map((each) => `  ${each}`),
  ];
}

/** Minimum, median and maximum. */
function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)].map((ms) => ms?.toFixed(0)).join(" / ");
}

const OPTIONS = {
  "cycles": wholeNumber("times that a leader is killed, stopped or frozen", 12),
  "seed": seedNumber("of what happens to leaders and to the network"),
  "servers": wholeNumber("processes of the cluster", 3),
  "clients": wholeNumber("clients that start executions at the same time", 16),
  "no-addresses": flag("servers do not know how to reach each other"),
  "faults": flag("a bad network to the database"),
};

async function run(values: ValuesOf<typeof OPTIONS>): Promise<number> {
  if (!hasDenokv()) {
    print("Skipped: there is no program denokv; the variable DENOKV names it");
    return 0;
  }
  const { cycles, seed, servers, clients, faults: hasFaults, "no-addresses": hasNoAddresses } = values;
  print(
    `${cycles} cycles, ${servers} servers${
      hasNoAddresses ? " without addresses" : ""
    }, ${clients} clients, seed ${seed}`,
  );
  const chance = new Chance(seed);
  const kinds: typeof BLOWS = hasFaults ? [...BLOWS, [2, "cut"]] : BLOWS;
  const blows = Array.from({ length: cycles }, () => chance.weighted(kinds));
  const faults = hasFaults ? () => chance.weighted(FAULTS) : undefined;
  const folder = await Deno.makeTempDir({ prefix: "sluice-cluster-" });
  const landMs = hasFaults ? LAND_MS : undefined;
  const options = { folder, servers, landMs, clients, hasNoAddresses, faults, leaseTtl: "5s", blows, seed };
  const result = await runCampaign({ ...options, report: print });
  for (const line of summary(result)) print(line);
  const { lost, doubled, notEnded, problems } = result;
  const isGood = [lost, doubled, notEnded, problems].every((found) => found.length === 0);
  if (isGood) await Deno.remove(folder, { recursive: true });
  else print(`The data is kept in ${folder}`);
  return isGood ? 0 : 1;
}

if (import.meta.main) await runTask("test:cluster", OPTIONS, run);
