/** Figures that a server tells of itself, for those who watch it. */

/** One value of a figure. */
export interface ServerMetricSample {
  /** What tells it from the others, by name; their number must be bounded. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A figure with all of its values. A counter only grows while the process lives; a gauge goes up and down. */
export interface ServerMetric {
  /** Lower-case words joined by `_`, the unit last; of counters `total`. */
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly samples: readonly ServerMetricSample[];
}

/** A figure of one value. */
export function serverMetric(
  type: ServerMetric["type"],
  name: string,
  help: string,
  value: number,
): ServerMetric {
  return { name, help, type, samples: [{ value }] };
}

/** What the platform knows of the process and its database. */
export interface ProcessFacts {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly cpuSeconds: number;
  /** Of the database and its log; absent where there is no disk. */
  readonly storeBytes?: number;
}
