/** `deno task test:crash --cycles N [--seed S] [--workers W]`: kills the real process again and again under load. */
import { type CampaignResult, runCampaign } from "./campaign.ts";
import { FINDING_KINDS } from "./verification/findings.ts";
import { print, readNumber } from "../support/processes/command_line.ts";

const DEFAULT_CYCLES = 20;
const DEFAULT_WORKERS = 24;
const MAX_LIFE_MS = 3_000;

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

async function run(args: readonly string[]): Promise<number> {
  const cycles = readNumber(args, "--cycles", DEFAULT_CYCLES);
  const seed = readNumber(args, "--seed", 1 + Math.floor(Math.random() * 1_000_000));
  const workers = readNumber(args, "--workers", DEFAULT_WORKERS);
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

if (import.meta.main) Deno.exit(await run(Deno.args));
