/** `deno task simulate:cluster --seeds N --from S`: simulates clusters, a seed each, and shows what breaks. */
import { print, readNumber } from "../../support/processes/command_line.ts";
import { World } from "./world.ts";

const DEFAULT_SEEDS = 1_000;
const MAX_SHOWN = 10;

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
    for (const [event, count] of world.events) events.set(event, count + (events.get(event) ?? 0));
  }
  return { broken, events };
}

if (import.meta.main) {
  const seeds = readNumber(Deno.args, "--seeds", DEFAULT_SEEDS);
  const from = readNumber(Deno.args, "--from", 1);
  // Each seed has some hundred refusals; the stacks of their errors would take 5 % of the time.
  Error.stackTraceLimit = 0;
  const startedMs = performance.now();
  const { broken, events } = await simulateClusters(seeds, from);
  for (const line of broken.slice(0, MAX_SHOWN)) print(line);
  print([...events].map(([event, count]) => `${event}: ${count}`).join(", "));
  const seconds = (performance.now() - startedMs) / 1_000;
  print(`${seeds} seeds from ${from} in ${seconds.toFixed(1)} s, ${broken.length} violations`);
  Deno.exit(broken.length > 0 ? 1 : 0);
}
