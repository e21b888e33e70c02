/** Server metrics, for monitoring. */

/** One value of a metric. */
export interface ServerMetricSample {
  /** Labels by name; the number of combinations must be bounded. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with all of its values. A counter never decreases during the life of the process. */
export interface ServerMetric {
  /** Lower-case words joined by `_`; ends with the unit, or with `total` for counters. */
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly samples: readonly ServerMetricSample[];
}

/** A metric with one value and no labels. */
export function serverMetric(
  type: ServerMetric["type"],
  name: string,
  help: string,
  value: number,
): ServerMetric {
  return { name, help, type, samples: [{ value }] };
}

/** Resource usage of the process. */
export interface ProcessFacts {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly cpuSeconds: number;
  /** Size of the database and its log; absent without a disk. */
  readonly storeBytes?: number;
}
