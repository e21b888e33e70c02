/** A series of simulated clusters, a seed each. */
import { World } from "./world.ts";

/** Consecutive seeds. */
export interface SeedRange {
  readonly seeds: number;
  readonly from: number;
}

/** What came of a series of seeds. */
export interface ClusterSeries {
  /** What is wrong, a line each. */
  readonly broken: readonly string[];
  /** How often each thing happened. */
  readonly events: ReadonlyMap<string, number>;
}

/** Simulates a cluster for each seed. */
export async function simulateClusters({ seeds, from }: SeedRange): Promise<ClusterSeries> {
  const broken: string[] = [];
  const events = new Map<string, number>();
  for (let seed = from; seed < from + seeds; seed++) {
    const world = new World(seed);
    broken.push(...(await world.run()).map((line) => `seed ${seed}: ${line}`));
    addTo(events, world.events);
  }
  return { broken, events };
}

/** Adds counts to sums. */
export function addTo(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) sums.set(name, count + (sums.get(name) ?? 0));
}
