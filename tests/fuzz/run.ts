/**
 * `deno task fuzz`: gives the parsers, the evaluator and the
 * readers of request bodies what nobody would write, and checks what must hold of whatever they are given.
 */
import {
  names,
  positiveNumber,
  print,
  runTask,
  seedNumber,
  text,
  type ValuesOf,
} from "../support/processes/command_line.ts";
import { type Finding, readFinding, saveFinding } from "./finding.ts";
import { TARGETS } from "./targets.ts";
import { Trials } from "./trial.ts";
import { WatchedWorker } from "./watch.ts";

const SLICE_MS = 3_000;
const FOLDER = new URL("./findings", import.meta.url).pathname;

const OPTIONS = {
  minutes: positiveNumber("length of the run", 1),
  seed: seedNumber("of the inputs"),
  target: names("parts that are fuzzed; by default all", TARGETS.map(({ name }) => name)),
  replay: text("a finding that is run again; nothing else is done then", "<path>", undefined),
};
type Options = ValuesOf<typeof OPTIONS>;

async function report(finding: Finding): Promise<void> {
  print(`FINDING ${finding.target}: ${finding.kind}`);
  for (const text of finding.input) print(`  input ${JSON.stringify(text.slice(0, 1_000))}`);
  print(`  ${finding.detail.split("\n").slice(0, 6).join("\n  ")}`);
  print(`  --seed ${finding.seed}, input ${finding.index}, saved as ${await saveFinding(FOLDER, finding)}`);
}

/** Takes the targets in turn until the time is over. */
async function fuzz({ minutes, seed, target: named }: Options): Promise<number> {
  const targets = named.length > 0 ? named : TARGETS.map(({ name }) => name);
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

async function run(options: Options): Promise<number> {
  return options.replay === undefined ? await fuzz(options) : await replay(options.replay);
}

if (import.meta.main) await runTask("fuzz", OPTIONS, run);
