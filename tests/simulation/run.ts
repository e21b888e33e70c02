/** `deno task simulate`: simulates executions of random flows, a seed each, and shows what breaks. */
import { print, runTask, type ValuesOf, wholeNumber } from "../support/processes/command_line.ts";
import { flowText } from "./flow_text.ts";
import { attemptSeed, type Failure, kindOf, shrink } from "./shrink.ts";

const MAX_SHOWN = 8;

/** What a series of simulations came to. */
export interface Series {
  /** The first failing seed of each kind of failure, simplified. */
  readonly failures: readonly { readonly seed: number; readonly failure: Failure }[];
  /** Failing seeds by kind. */
  readonly kinds: ReadonlyMap<string, number>;
}

/** Simulates `seeds` executions, the first with seed `from`. */
export function simulate(seeds: number, from: number): Series {
  const failures: { seed: number; failure: Failure }[] = [];
  const kinds = new Map<string, number>();
  for (let seed = from; seed < from + seeds; seed++) {
    const failure = attemptSeed(seed);
    if (!failure) continue;
    const kind = kindOf(failure);
    if (!kinds.has(kind) && kinds.size < MAX_SHOWN) failures.push({ seed, failure: shrink(failure) });
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return { failures, kinds };
}

/** A failure in full: its flow, what happened, what does not hold. */
export function failureText(seed: number, { message, plan, trace }: Failure): string {
  return [`seed ${seed}: ${message}`, ...flowText(plan), ...trace.map((line) => `  ${line}`)].join("\n");
}

const OPTIONS = {
  seeds: wholeNumber("executions that are simulated", 100_000),
  from: wholeNumber("first seed", 1),
};

function run({ seeds, from }: ValuesOf<typeof OPTIONS>): Promise<number> {
  const startedMs = performance.now();
  const { failures, kinds } = simulate(seeds, from);
  for (const { seed, failure } of failures) print(failureText(seed, failure));
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const [kind, count] of kinds) print(`${count} × ${kind}`);
  print(`${seeds} seeds from ${from} in ${seconds.toFixed(1)} s, ${kinds.size} kinds of failures`);
  return Promise.resolve(kinds.size > 0 ? 1 : 0);
}

if (import.meta.main) await runTask("simulate", OPTIONS, run);
