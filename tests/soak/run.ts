/**
 * `deno task soak [--hours N | --minutes N] [--rate R] [--seed S] [--csv path]`: a steady mixed load on a real server for
 * hours, which must not grow and must not lose anything. Exit code 1 if it does.
 */
import { parseArgs } from "node:util";
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

/** What the command line asks for. */
export interface SoakCommand {
  readonly durationMs: number;
  /** Operations a second. */
  readonly rate: number;
  readonly seed: number;
  readonly csv: string;
}

/** Reads the command line. @throws Error for an unknown option or a number out of its bounds */
export function readOptions(args: readonly string[], seed: number): SoakCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hours: { type: "string" },
      minutes: { type: "string" },
      rate: { type: "string", default: "20" },
      seed: { type: "string", default: String(seed) },
      csv: { type: "string", default: "soak.csv" },
    },
  });
  const minutes = values.minutes === undefined
    ? undefined
    : numberOf("minutes", values.minutes, MAX_HOURS * 60);
  const hours = numberOf("hours", values.hours ?? "1", MAX_HOURS);
  return {
    durationMs: minutes === undefined ? hours * HOUR_MS : minutes * MINUTE_MS,
    rate: numberOf("rate", values.rate, MAX_RATE),
    seed: numberOf("seed", values.seed, Number.MAX_SAFE_INTEGER),
    csv: values.csv,
  };
}

function numberOf(option: string, text: string, max: number): number {
  const number = Number(text);
  if (number > 0 && number <= max) return number;
  throw new Error(`Invalid option "--${option}": it must be a number above 0, at most ${max}`);
}

function print(line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let offset = 0; offset < bytes.length;) offset += Deno.stdout.writeSync(bytes.subarray(offset));
}

async function run(args: readonly string[]): Promise<number> {
  const { durationMs, rate, seed, csv } = readOptions(args, 1 + Math.floor(Math.random() * 1_000_000));
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

if (import.meta.main) Deno.exit(await run(Deno.args));
