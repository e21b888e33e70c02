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

/** Room of a file system. */
export interface DiskSpace {
  readonly totalBytes: number;
  /** What this process may still use. */
  readonly freeBytes: number;
}

/** Resource usage of the process. */
export interface ProcessFacts {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly cpuSeconds: number;
  /** Size of the database and its log; absent without a disk. */
  readonly storeBytes?: number;
  /** Room of the file system with the database; absent if the system does not say. */
  readonly disk?: DiskSpace;
}
