/** The result of a soak run: slopes in a table, samples as CSV. */
import { type GaugeName, GAUGES, type Gauges } from "./gauges.ts";
import { afterWarmUp, type Trend, trendOf } from "./trend.ts";

/** The values at one time, in milliseconds since the start. */
export interface SoakSample {
  readonly atMs: number;
  readonly gauges: Gauges;
}

/** First part of a run, in which caches and the retention fill up. */
export const WARM_UP_SHARE = 0.4;
const NAMES = Object.keys(GAUGES) as GaugeName[];

/** The trend of each value after the warm-up. */
export function trendsOf(samples: readonly SoakSample[]): ReadonlyMap<GaugeName, Trend> {
  return new Map(NAMES.map((name) => {
    const series = samples.map(({ atMs, gauges }) => ({ atMs, value: gauges[name] }));
    return [name, trendOf(afterWarmUp(series, WARM_UP_SHARE), GAUGES[name].bound)];
  }));
}

/** The trends as lines of a table. */
export function trendLines(trends: ReadonlyMap<GaugeName, Trend>): string[] {
  return [...trends].map(([name, { first, last, perHour, isGrowing }]) => {
    const { unit, bound } = GAUGES[name];
    const [from, to, slope, most] = [first, last, perHour, bound].map((value) =>
      unit === "MB" ? `${(value / 1e6).toFixed(1)} MB` : value.toFixed(0)
    );
    const mark = isGrowing ? "GROWING" : "flat";
    return `${name.padEnd(10)} ${mark.padEnd(8)} ${from} → ${to}, ${slope} an hour (bound ${most})`;
  });
}

/** The samples, one line each, below the names. */
export function csvOf(samples: readonly SoakSample[]): string {
  const lines = samples.map((
    { atMs, gauges },
  ) => [Math.round(atMs / 1_000), ...NAMES.map((name) => gauges[name])]);
  return [["seconds", ...NAMES], ...lines].map((line) => `${line.join(",")}\n`).join("");
}
