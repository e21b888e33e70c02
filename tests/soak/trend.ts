/** Whether a series of samples grows: its slope after a warm-up, robust against outliers. */

/** A measured value and its time in milliseconds. */
export interface Sample {
  readonly atMs: number;
  readonly value: number;
}

/** How a series develops. */
export interface Trend {
  readonly first: number;
  readonly last: number;
  /** Median slope over all pairs of samples (Theil–Sen). */
  readonly perHour: number;
  /** The slope is above the bound, and the growth above the scatter around it. */
  readonly isGrowing: boolean;
}

const HOUR_MS = 3_600_000;
/** Pairs grow with the square. */
const MAX_POINTS = 300;
/** Growth within the scatter of the samples shows nothing. */
const MIN_GROWTH_BY_SCATTER = 2;

/** The samples after the warm-up: a share of the whole time. */
export function afterWarmUp(samples: readonly Sample[], share: number): Sample[] {
  const [first, last] = [samples[0]?.atMs ?? 0, samples.at(-1)?.atMs ?? 0];
  return samples.filter(({ atMs }) => atMs >= first + (last - first) * share);
}

/** The trend of samples in the order of time; `bound` is the largest slope that counts as flat, a value each hour. */
export function trendOf(samples: readonly Sample[], bound: number): Trend {
  const points = thinned(samples);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 3) return { first: 0, last: 0, perHour: 0, isGrowing: false };
  const slope = medianSlope(points);
  const growth = slope * (last.atMs - first.atMs);
  const rests = points.map(({ atMs, value }) => value - slope * (atMs - first.atMs));
  const centre = median(rests);
  const scatter = median(rests.map((rest) => Math.abs(rest - centre)));
  const perHour = slope * HOUR_MS;
  const isGrowing = perHour > bound && growth > MIN_GROWTH_BY_SCATTER * scatter;
  return { first: first.value, last: last.value, perHour, isGrowing };
}

function medianSlope(points: readonly Sample[]): number {
  const slopes = points.flatMap((a, index) =>
    points.slice(index + 1).map((b) => (b.value - a.value) / Math.max(1, b.atMs - a.atMs))
  );
  return median(slopes);
}

function thinned(samples: readonly Sample[]): readonly Sample[] {
  const step = Math.ceil(samples.length / MAX_POINTS);
  return step <= 1 ? samples : samples.filter((_, index) => index % step === 0);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
