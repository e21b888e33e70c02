/** Stored metrics: one value for each attempt, positional lists. */
import type { Instant } from "../../base/time/clock.ts";
import { Double } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { type AttemptMetrics, type Metric, METRIC_TYPES } from "../../model/executions/metric.ts";
import { decodeJson } from "../codec.ts";
import { metricsKey, metricsOf } from "../keys.ts";
import type { Mutation, Store, StoredEntry } from "../store.ts";
import { deletionsOf, readEntries, setJson } from "../stored_entries.ts";

/** `[type, name, value, tags?]`. */
type PackedMetric = [type: number, name: string, value: number | Double, tags?: Record<string, string>];

/** `[task id, at, metrics]`. */
type PackedMetrics = [taskId: string, at: Instant, metrics: PackedMetric[]];

/** Stores the metrics of an attempt; replaces those of an earlier commit of the same attempt. */
export function metricsMutation(tenant: TenantId, executionId: string, of: AttemptMetrics): Mutation {
  const packed: PackedMetrics = [of.taskId, of.at, of.metrics.map(packMetric)];
  return setJson(metricsKey(tenant, executionId, of.taskRun, of.attemptNumber), packed);
}

function packMetric({ type, name, value, tags }: Metric): PackedMetric {
  const packed: PackedMetric = [METRIC_TYPES.indexOf(type), name, value];
  if (tags && Object.keys(tags).length > 0) packed.push({ ...tags });
  return packed;
}

/** Reads stored metrics. */
export class MetricRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The metrics of an execution, ordered by task run and attempt. */
  load(tenant: TenantId, executionId: string): Promise<AttemptMetrics[]> {
    return Array.fromAsync(readEntries(this.#store, metricsOf(tenant, executionId), decodeMetrics));
  }

  /** Mutations that remove the metrics of an execution. */
  removal(tenant: TenantId, executionId: string): Promise<Mutation[]> {
    return deletionsOf(this.#store, metricsOf(tenant, executionId));
  }
}

/** Stored metrics of an attempt. */
export function decodeMetrics({ key, value }: StoredEntry): AttemptMetrics {
  const [taskId, at, metrics] = decodeJson(value) as unknown as PackedMetrics;
  const [taskRun, attemptNumber] = [Number(key[3]), Number(key[4])];
  return { taskId, taskRun, attemptNumber, at, metrics: metrics.map(unpackMetric) };
}

function unpackMetric([type, name, value, tags]: PackedMetric): Metric {
  const number = value instanceof Double ? value.value : Number(value);
  return { type: METRIC_TYPES[type] ?? "gauge", name, value: number, ...(tags && { tags }) };
}
