/** Metrics reported by attempts, and their limits. */
import type { Instant } from "../../base/time/clock.ts";

/** Types of metrics; timers are in milliseconds. The order is stored: append only. */
export const METRIC_TYPES = ["counter", "timer", "gauge"] as const;

/** One of {@link METRIC_TYPES}. */
export type MetricType = typeof METRIC_TYPES[number];

/** A number reported by an attempt. */
export interface Metric {
  readonly name: string;
  readonly type: MetricType;
  /** Finite; milliseconds for a timer. */
  readonly value: number;
  readonly tags?: Readonly<Record<string, string>>;
}

/** The metrics of one attempt. */
export interface AttemptMetrics {
  readonly taskId: string;
  /** Ordinal of the task run. */
  readonly taskRun: number;
  /** From 1. */
  readonly attemptNumber: number;
  /** End of the attempt. */
  readonly at: Instant;
  readonly metrics: readonly Metric[];
}

/** Maximum number of metrics of one attempt; further ones are dropped. */
const MAX_METRICS_PER_ATTEMPT = 200;
/** Maximum total length of names and tags of one attempt, since its metrics are stored as one value. */
const MAX_METRIC_CHARS_PER_ATTEMPT = 8_000;

/** Collects the metrics of one attempt within the limits. */
export class MetricList {
  readonly #metrics: Metric[] = [];
  /** Where a counter or timer with this type, name and tags is in the list. */
  readonly #places = new Map<string, number>();
  #chars = 0;
  #isRefusalReported = false;

  /** The metrics kept. */
  get metrics(): readonly Metric[] {
    return this.#metrics;
  }

  /** True on the first call only, so that dropped metrics are reported once. */
  isFirstRefusal(): boolean {
    const isFirst = !this.#isRefusalReported;
    this.#isRefusalReported = true;
    return isFirst;
  }

  /**
   * A counter or timer is added to that with the same name and tags, if there is one; each value of a gauge stays. Returns
   * false if the metric was dropped because of the limits. @throws Error invalid metric
   */
  add(metric: Metric): boolean {
    checkMetric(metric);
    const identity = identityOf(metric);
    if (metric.type !== "gauge" && this.#addTo(this.#places.get(identity), metric.value)) return true;
    const { name, tags = {} } = metric;
    const chars = Object.entries(tags).reduce((sum, pair) => sum + pair.join("").length, name.length);
    const isFull = this.#metrics.length >= MAX_METRICS_PER_ATTEMPT ||
      this.#chars + chars > MAX_METRIC_CHARS_PER_ATTEMPT;
    if (isFull) return false;
    this.#chars += chars;
    this.#places.set(identity, this.#metrics.push(metric) - 1);
    return true;
  }

  /** Returns false if there is no such metric, or if the sum is no number. */
  #addTo(place: number | undefined, value: number): boolean {
    const metric = place === undefined ? undefined : this.#metrics[place];
    const sum = (metric?.value ?? NaN) + value;
    if (place === undefined || !metric || !Number.isFinite(sum)) return false;
    this.#metrics[place] = { ...metric, value: sum };
    return true;
  }
}

/** The same text for metrics of the same type and name with the same tags, in any order. */
function identityOf({ type, name, tags = {} }: Metric): string {
  const inOrder = Object.entries(tags).sort(([a], [b]) => a < b ? -1 : 1);
  return JSON.stringify([type, name, inOrder]);
}

function checkMetric({ name, type, value }: Metric): void {
  const shown = String(name).slice(0, 100);
  if (typeof name !== "string" || name === "") throw new Error("Invalid metric: it has no name");
  if (!METRIC_TYPES.includes(type)) {
    throw new Error(`Invalid metric "${shown}": its type must be one of ${METRIC_TYPES.join(", ")}`);
  }
  if (Number.isFinite(value)) return;
  throw new Error(`Invalid metric "${shown}": its value must be a number`);
}
