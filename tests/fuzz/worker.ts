/** Runs inputs beside the watch of `run.ts`, which ends it when one input never does. */
import { TARGETS } from "./targets.ts";
import type { Finding } from "./finding.ts";
import { inputAt } from "./seeds.ts";
import { Trials } from "./trial.ts";

/** What the worker is asked for: inputs of one target from a number on, for some time. */
export interface Slice {
  readonly target: string;
  readonly seed: number;
  readonly first: number;
  readonly ms: number;
  /** Its first element is set to the number of the input that is run. */
  readonly progress: Int32Array<SharedArrayBuffer>;
}

/** What the worker answers. */
export interface SliceResult {
  readonly next: number;
  readonly findings: readonly Finding[];
}

/** Mistakes of one kind are shrunk once in a run. */
const known = new Set<string>();

async function runSlice(
  { target: name, seed, first, ms, progress }: Slice,
  trials: Trials,
): Promise<SliceResult> {
  const target = TARGETS.find((each) => each.name === name);
  if (!target) throw new Error(`Cannot find target "${name}"`);
  const findings: Finding[] = [];
  const endsAt = performance.now() + ms;
  let index = first;
  for (; performance.now() < endsAt; index++) {
    Atomics.store(progress, 0, index);
    const input = inputAt(target, seed, index);
    const mistake = await trials.run(target, input);
    if (!mistake || known.has(`${name} ${mistake.kind}`)) continue;
    known.add(`${name} ${mistake.kind}`);
    const smaller = mistake.kind === "slow" ? input : await trials.shrink(target, input, mistake.kind);
    findings.push({ target: name, seed, index, ...mistake, input: smaller });
  }
  return { next: index, findings };
}

/** Listens for slices. */
function serve(
  scope: { onmessage: ((event: MessageEvent<Slice>) => void) | null; postMessage(data: unknown): void },
) {
  const trials = new Trials();
  trials.start();
  scope.onmessage = async ({ data }) => scope.postMessage(await runSlice(data, trials));
}

serve(self as unknown as Parameters<typeof serve>[0]);
