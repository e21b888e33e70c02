/** Figures of the benchmark: how a measured value stands against its floor and its goal. */

/** One figure of a row. */
export interface ServerMetric {
  /** Of the row it belongs to. */
  readonly row: number;
  readonly name: string;
  /** What was measured, and what it is compared with, as a person reads them. */
  readonly measured: string;
  readonly limit: string;
  /** The ratio, or the value itself where the floor is one. */
  readonly value: number;
  /** Of `value`, floor and goal; empty for a ratio. */
  readonly unit: "" | "ms" | "MB" | "rows" | "%";
  readonly better: "higher" | "lower";
  readonly floor: number;
  readonly goal: number;
}

/** What a row found. */
export interface RowResult {
  readonly figures: readonly ServerMetric[];
  /** Facts without a floor. */
  readonly notes: readonly string[];
}

/** Whether the figure is at least as good as the bound. Without a number it is not. */
export function holds({ value, better }: ServerMetric, bound: number): boolean {
  return better === "higher" ? value >= bound : value <= bound;
}

/** The middle of the values; the lower one of two. NaN without values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which that share of the values lies. NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length - 1) * share))] ?? NaN;
}

/** A rate as a person reads it: `21,900/s`. */
export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString("en")}/s`;
}

/** A duration as a person reads it: `0.84 ms`. */
export function inMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`;
}

/** A size as a person reads it: `78 MB`. */
export function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** A share of the whole as a person reads it: `1.4 %`. */
export function inPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
