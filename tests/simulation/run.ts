/** `deno task simulate --seeds N --from S`: simulates executions of random flows, a seed each, and shows what breaks. */
import { flowText } from "./flow_text.ts";
import { attemptSeed, type Failure, kindOf, shrink } from "./shrink.ts";

const DEFAULT_SEEDS = 100_000;
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

function readNumber(args: readonly string[], option: string, fallback: number): number {
  const at = args.indexOf(option);
  return at < 0 ? fallback : Number(args[at + 1]);
}

function print(line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let offset = 0; offset < bytes.length;) offset += Deno.stdout.writeSync(bytes.subarray(offset));
}

if (import.meta.main) {
  const seeds = readNumber(Deno.args, "--seeds", DEFAULT_SEEDS);
  const from = readNumber(Deno.args, "--from", 1);
  const startedMs = performance.now();
  const { failures, kinds } = simulate(seeds, from);
  for (const { seed, failure } of failures) print(failureText(seed, failure));
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const [kind, count] of kinds) print(`${count} × ${kind}`);
  print(`${seeds} seeds from ${from} in ${seconds.toFixed(1)} s, ${kinds.size} kinds of failures`);
  Deno.exit(kinds.size > 0 ? 1 : 0);
}
