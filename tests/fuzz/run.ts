/**
 * `deno task fuzz [--minutes N] [--seed S] [--target name]… [--replay path]`: gives the parsers, the evaluator and the
 * readers of request bodies what nobody would write, and checks what must hold of whatever they are given.
 */
import { parseArgs } from "node:util";
import { detailOf, type Finding, readFinding, saveFinding } from "./finding.ts";
import { TARGETS } from "./targets.ts";
import { Trials } from "./trial.ts";
import { WatchedWorker } from "./watch.ts";

const SLICE_MS = 3_000;
const FOLDER = new URL("./findings", import.meta.url).pathname;

/** What the command line asks for. */
export interface FuzzOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly targets: readonly string[];
  /** Path of a finding that is run again; nothing else is then done. */
  readonly replay?: string;
}

/** Reads the command line. @throws Error for an unknown option, target, or a number that is none */
export function readOptions(args: readonly string[], seed: number): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "1" },
      seed: { type: "string", default: String(seed) },
      target: { type: "string", multiple: true },
      replay: { type: "string" },
    },
  });
  const names = TARGETS.map(({ name }) => name);
  const unknown = values.target?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`Unknown target "${unknown}": there are ${names.join(", ")}`);
  return {
    minutes: numberOf("minutes", values.minutes),
    seed: numberOf("seed", values.seed),
    targets: values.target ?? names,
    replay: values.replay,
  };
}

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new Error(`Invalid option "--${option}": it must be a number above 0`);
}

function print(line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let offset = 0; offset < bytes.length;) offset += Deno.stdout.writeSync(bytes.subarray(offset));
}

async function report(finding: Finding): Promise<void> {
  print(`FINDING ${finding.target}: ${finding.kind}`);
  for (const text of finding.input) print(`  input ${JSON.stringify(text.slice(0, 1_000))}`);
  print(`  ${finding.detail.split("\n").slice(0, 6).join("\n  ")}`);
  print(`  --seed ${finding.seed}, input ${finding.index}, saved as ${await saveFinding(FOLDER, finding)}`);
}

/** Takes the targets in turn until the time is over. */
async function fuzz({ minutes, seed, targets }: FuzzOptions): Promise<number> {
  print(`seed ${seed}, ${minutes} min, targets ${targets.join(", ")}`);
  const worker = new WatchedWorker();
  const next = new Map(targets.map((target) => [target, 0]));
  const endsAt = performance.now() + minutes * 60_000;
  let findings = 0;
  while (performance.now() < endsAt) {
    for (const [target, first] of next) {
      const ms = Math.min(SLICE_MS, Math.max(0, endsAt - performance.now()));
      const result = await worker.run({ target, seed, first, ms });
      next.set(target, result.next);
      findings += result.findings.length;
      for (const finding of result.findings) await report(finding);
    }
  }
  worker.close();
  for (const [target, executions] of next) print(`${target.padEnd(10)} ${executions} executions`);
  print(`${findings} findings`);
  return findings > 0 ? 1 : 0;
}

async function replay(path: string): Promise<number> {
  const { target: name, input } = await readFinding(path);
  const target = TARGETS.find((each) => each.name === name);
  if (!target) throw new Error(`Cannot find target "${name}"`);
  const trials = new Trials();
  trials.start();
  const mistake = await trials.run(target, input);
  print(mistake ? `${mistake.kind}\n${mistake.detail}` : "Nothing is wrong any more");
  return mistake ? 1 : 0;
}

async function run(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args, 1 + Math.floor(Math.random() * 1_000_000));
    return options.replay === undefined ? await fuzz(options) : await replay(options.replay);
  } catch (error) {
    print(detailOf(error));
    return 2;
  }
}

if (import.meta.main) Deno.exit(await run(Deno.args));
