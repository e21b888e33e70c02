/** Metrics: numbers that attempts report, and their bounds. */
import type { Instant } from "../../base/clock.ts";

/** Kinds of metrics; a timer counts milliseconds. The order is stored: append only. */
export const METRIC_TYPES = ["counter", "timer", "gauge"] as const;

/** One of {@link METRIC_TYPES}. */
export type MetricType = typeof METRIC_TYPES[number];

/** A number that an attempt reports. */
export interface Metric {
  readonly name: string;
  readonly type: MetricType;
  /** Finite; of a timer milliseconds. */
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
  /** When the attempt ended. */
  readonly at: Instant;
  readonly metrics: readonly Metric[];
}

/** Metrics of one attempt; further ones are left out. */
const MAX_METRICS_PER_ATTEMPT = 200;
/** Characters of all names and tags of one attempt's metrics: they are stored as one value. */
const MAX_METRIC_CHARS_PER_ATTEMPT = 8_000;

/** Collects the metrics of one attempt within their bounds. */
export class MetricList {
  readonly #metrics: Metric[] = [];
  #chars = 0;
  #isRefusalTold = false;

  /** What was kept. */
  get metrics(): readonly Metric[] {
    return this.#metrics;
  }

  /** True the first time that it is asked, for whoever tells of what was left out. */
  isFirstRefusal(): boolean {
    const isFirst = !this.#isRefusalTold;
    this.#isRefusalTold = true;
    return isFirst;
  }

  /** False when it was left out, because the attempt has reported too many. @throws Error for what is no metric */
  add(metric: Metric): boolean {
    checkMetric(metric);
    const { name, tags = {} } = metric;
    const chars = Object.entries(tags).reduce((sum, pair) => sum + pair.join("").length, name.length);
    const isFull = this.#metrics.length >= MAX_METRICS_PER_ATTEMPT ||
      this.#chars + chars > MAX_METRIC_CHARS_PER_ATTEMPT;
    if (isFull) return false;
    this.#chars += chars;
    this.#metrics.push(metric);
    return true;
  }
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
