/** `deno task simulate:cluster`: simulates clusters, a seed each, and shows what breaks. */
import { print, runTask, type ValuesOf, wholeNumber } from "../../support/processes/command_line.ts";
import { addTo, type ClusterSeries, type SeedRange } from "./series.ts";

const MAX_SHOWN = 10;
/** Seeds that a thread gets at a time, and seeds between two lines of progress. */
const BATCH = 250;
const PROGRESS = 1_000;
const OPTIONS = {
  seeds: wholeNumber("clusters that are simulated", 1_000),
  from: wholeNumber("first seed", 1),
  jobs: wholeNumber("threads", navigator.hardwareConcurrency),
};

/** Hands ranges of seeds to threads, and sums up what comes of them. */
class Simulation {
  readonly events = new Map<string, number>();
  violations = 0;
  readonly #range: SeedRange;
  readonly #startedMs = performance.now();
  #begun = 0;
  #done = 0;

  constructor(range: SeedRange) {
    this.#range = range;
  }

  /** Simulates ranges in one thread until none is left. */
  async runThread(): Promise<void> {
    const thread = new Worker(new URL("./thread.ts", import.meta.url), { type: "module" });
    for (let range = this.#next(); range; range = this.#next()) this.#add(range, await answer(thread, range));
    thread.terminate();
  }

  #next(): SeedRange | undefined {
    const seeds = Math.min(BATCH, this.#range.seeds - this.#begun);
    if (seeds <= 0) return undefined;
    const from = this.#range.from + this.#begun;
    this.#begun += seeds;
    return { seeds, from };
  }

  #add({ seeds }: SeedRange, { broken, events }: ClusterSeries): void {
    for (const line of broken.slice(0, Math.max(0, MAX_SHOWN - this.violations))) print(line);
    this.violations += broken.length;
    addTo(this.events, events);
    const before = this.#done;
    this.#done += seeds;
    const isDue = Math.floor(this.#done / PROGRESS) > Math.floor(before / PROGRESS);
    if (!isDue && this.#done < this.#range.seeds) return;
    const seconds = (performance.now() - this.#startedMs) / 1_000;
    print(
      `${this.#done} seeds from ${this.#range.from} in ${
        seconds.toFixed(1)
      } s, ${this.violations} violations`,
    );
  }
}

async function answer(thread: Worker, range: SeedRange): Promise<ClusterSeries> {
  const { promise, resolve, reject } = Promise.withResolvers<ClusterSeries>();
  thread.onmessage = ({ data }) => resolve(data);
  thread.onerror = ({ message }) => reject(new Error(message));
  thread.postMessage(range);
  return await promise;
}

async function run({ seeds, from, jobs }: ValuesOf<typeof OPTIONS>): Promise<number> {
  const simulation = new Simulation({ seeds, from });
  await Promise.all(Array.from({ length: jobs }, () => simulation.runThread()));
  print([...simulation.events].sort().map(([event, count]) => `${event}: ${count}`).join(", "));
  return simulation.violations > 0 ? 1 : 0;
}

if (import.meta.main) await runTask("simulate:cluster", OPTIONS, run);
