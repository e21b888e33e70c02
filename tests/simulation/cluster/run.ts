/** `deno task simulate:cluster --seeds N --from S`: simulates clusters, a seed each, and shows what breaks. */
import { print, readNumber } from "../../support/processes/command_line.ts";
import { World } from "./world.ts";

const DEFAULT_SEEDS = 1_000;
const MAX_SHOWN = 10;
/** Seeds between two lines of progress. */
const BATCH = 1_000;

/** What came of a series of seeds. */
interface ClusterSeries {
  /** What is wrong, a line each. */
  readonly broken: readonly string[];
  /** How often each thing happened. */
  readonly events: ReadonlyMap<string, number>;
}

/** Simulates a cluster for each seed, the first with seed `from`. */
export async function simulateClusters(seeds: number, from: number): Promise<ClusterSeries> {
  const broken: string[] = [];
  const events = new Map<string, number>();
  for (let seed = from; seed < from + seeds; seed++) {
    const world = new World(seed);
    broken.push(...(await world.run()).map((line) => `seed ${seed}: ${line}`));
    addTo(events, world.events);
  }
  return { broken, events };
}

function addTo(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) sums.set(name, count + (sums.get(name) ?? 0));
}

if (import.meta.main) {
  const seeds = readNumber(Deno.args, "--seeds", DEFAULT_SEEDS);
  const from = readNumber(Deno.args, "--from", 1);
  // Each seed has some hundred refusals; the stacks of their errors would take 5 % of the time.
  Error.stackTraceLimit = 0;
  const startedMs = performance.now();
  const events = new Map<string, number>();
  let violations = 0;
  for (let done = 0; done < seeds;) {
    const size = Math.min(BATCH, seeds - done);
    const series = await simulateClusters(size, from + done);
    done += size;
    for (const line of series.broken.slice(0, Math.max(0, MAX_SHOWN - violations))) print(line);
    violations += series.broken.length;
    addTo(events, series.events);
    const seconds = (performance.now() - startedMs) / 1_000;
    print(`${done} seeds from ${from} in ${seconds.toFixed(1)} s, ${violations} violations`);
  }
  print([...events].map(([event, count]) => `${event}: ${count}`).join(", "));
  Deno.exit(violations > 0 ? 1 : 0);
}
