/**
 * `deno task soak`: a steady mixed load on a real server for hours, which must not grow and must not lose anything. Exit code 1
 * if it does.
 */
import {
  positiveNumber,
  print,
  runTask,
  seedNumber,
  text,
  type ValuesOf,
} from "../support/processes/command_line.ts";
import { csvOf, type SoakSample, trendLines, trendsOf, WARM_UP_SHARE } from "./report.ts";
import { soak, type SoakResult } from "./soak.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MAX_HOURS = 200;
const MAX_RATE = 500;
/** Samples of a run, so that hours of them stay few. */
const MAX_SAMPLES = 5_000;
const MIN_SAMPLE_MS = 2_000;
const RETENTION = "2m";

const OPTIONS = {
  hours: positiveNumber("length of the run", 1, MAX_HOURS),
  minutes: positiveNumber("length of the run, instead of hours", undefined, MAX_HOURS * 60),
  rate: positiveNumber("operations a second", 20, MAX_RATE),
  seed: seedNumber("of the operations"),
  csv: text("file for the samples", "<path>", "soak.csv"),
};

async function run({ hours, minutes, rate, seed, csv }: ValuesOf<typeof OPTIONS>): Promise<number> {
  const durationMs = minutes === undefined ? hours * HOUR_MS : minutes * MINUTE_MS;
  print(`${durationMs / MINUTE_MS} minutes, ${rate} operations a second, seed ${seed}, samples in ${csv}`);
  const folder = await Deno.makeTempDir({ prefix: "sluice-soak-" });
  const sampleMs = Math.max(MIN_SAMPLE_MS, durationMs / MAX_SAMPLES);
  const sampled = (samples: readonly SoakSample[]) => Deno.writeTextFileSync(csv, csvOf(samples));
  const stop = new AbortController();
  const { signal } = stop;
  // Ended at once, it would leave the server behind, and print no slopes.
  for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, () => stop.abort());
  const times = { durationMs, rate, sampleMs, retention: RETENTION };
  const options = { ...times, seed, folder, report: print, sampled, signal };
  const result = await soak(options).finally(() => Deno.remove(folder, { recursive: true }));
  return conclude(result);
}

function conclude(result: SoakResult): number {
  const { samples, operations, looked, streams, problems, problemCount } = result;
  const trends = trendsOf(samples);
  print(
    `${operations} operations, ${looked} executions looked at, ${streams} event streams, ${samples.length} samples`,
  );
  print(`Slopes without the first ${WARM_UP_SHARE * 100} %:`);
  for (const line of trendLines(trends)) print(`  ${line}`);
  print(`${problemCount} problems`);
  for (const problem of problems) print(`  ${problem}`);
  const isGrowing = [...trends.values()].some((trend) => trend.isGrowing);
  return isGrowing || problemCount > 0 ? 1 : 0;
}

if (import.meta.main) await runTask("soak", OPTIONS, run);
