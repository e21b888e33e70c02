/** `deno task test:crash`: kills the real process again and again under load. */
import { type CampaignResult, runCampaign } from "./campaign.ts";
import { FINDING_KINDS } from "./verification/findings.ts";
import { print, runTask, seedNumber, type ValuesOf, wholeNumber } from "../support/processes/command_line.ts";

const MAX_LIFE_MS = 3_000;
const OPTIONS = {
  cycles: wholeNumber("times that the process is killed", 20),
  seed: seedNumber("of what is sent and when it is killed"),
  workers: wholeNumber("clients that send requests at the same time", 24),
};

/** The summary, a figure a line. */
function summary(result: CampaignResult): string[] {
  const { acknowledged, executions, crashes, flows, ticks, scripts, findings } = result;
  return [
    `acknowledged ${acknowledged} (${executions} executions, ${crashes} crashes)`,
    [...flows].map(([flow, count]) => `${count} ${flow}`).join(", "),
    `${ticks} dates of schedules, ${scripts} attempts of scripts`,
    ...FINDING_KINDS.map((kind) => `${kind} ${findings.count(kind)}`),
    ...findings.examples.map((example) => `  ${example}`),
  ];
}

async function run({ cycles, seed, workers }: ValuesOf<typeof OPTIONS>): Promise<number> {
  print(`${cycles} cycles, ${workers} workers, seed ${seed}`);
  const folder = await Deno.makeTempDir({ prefix: "sluice-crash-" });
  const result = await runCampaign({ cycles, seed, folder, workers, maxLifeMs: MAX_LIFE_MS, report: print });
  for (const line of summary(result)) print(line);
  if (result.findings.total > 0) {
    print(`The data is kept in ${folder}`);
    return 1;
  }
  await Deno.remove(folder, { recursive: true });
  return 0;
}

if (import.meta.main) await runTask("test:crash", OPTIONS, run);
