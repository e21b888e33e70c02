/** Metrics of attempts in the store: one value an attempt, positional lists. */
import type { Instant } from "../../base/clock.ts";
import { Double } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { type AttemptMetrics, type Metric, METRIC_TYPES } from "../../model/executions/metric.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import { metricsKey, metricsOf } from "../keys.ts";
import type { Mutation, Store } from "../store.ts";

/** `[type, name, value, tags?]`. */
type PackedMetric = [type: number, name: string, value: number | Double, tags?: Record<string, string>];

/** `[task id, at, metrics]`. */
type PackedMetrics = [taskId: string, at: Instant, metrics: PackedMetric[]];

/** What stores the metrics of an attempt, in place of those that an earlier try to commit it has left. */
export function metricsMutation(tenant: TenantId, executionId: string, of: AttemptMetrics): Mutation {
  const packed: PackedMetrics = [of.taskId, of.at, of.metrics.map(packMetric)];
  const key = metricsKey(tenant, executionId, of.taskRun, of.attemptNumber);
  return { type: "set", key, value: encodeJson(packed as Parameters<typeof encodeJson>[0]) };
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

  /** The metrics of an execution by task run and attempt. */
  async load(tenant: TenantId, executionId: string): Promise<AttemptMetrics[]> {
    const found: AttemptMetrics[] = [];
    for await (const { key, value } of this.#store.list(metricsOf(tenant, executionId))) {
      const [taskId, at, metrics] = decodeJson(value) as unknown as PackedMetrics;
      const taskRun = Number(key[3]);
      found.push({ taskId, taskRun, attemptNumber: Number(key[4]), at, metrics: metrics.map(unpackMetric) });
    }
    return found;
  }

  /** Mutations that remove the metrics of an execution. */
  async removal(tenant: TenantId, executionId: string): Promise<Mutation[]> {
    const mutations: Mutation[] = [];
    for await (const { key } of this.#store.list(metricsOf(tenant, executionId))) {
      mutations.push({ type: "delete", key });
    }
    return mutations;
  }
}

function unpackMetric([type, name, value, tags]: PackedMetric): Metric {
  const number = value instanceof Double ? value.value : Number(value);
  return { type: METRIC_TYPES[type] ?? "gauge", name, value: number, ...(tags && { tags }) };
}
