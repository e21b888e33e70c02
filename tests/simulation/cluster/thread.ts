/** A thread that simulates the ranges of seeds that it is sent, one after the other. */
import { type ClusterSeries, type SeedRange, simulateClusters } from "./series.ts";

/** What a thread sees of the one that has begun it. */
interface Scope {
  onmessage: ((event: MessageEvent<SeedRange>) => void) | null;
  postMessage(series: ClusterSeries): void;
}

// Each seed has some hundred refusals; the stacks of their errors would take 5 % of the time.
Error.stackTraceLimit = 0;

const scope = globalThis as unknown as Scope;
scope.onmessage = async ({ data }) => scope.postMessage(await simulateClusters(data));
