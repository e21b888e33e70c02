/**
 * Counts of non-negative numbers in buckets of about equal relative width, for quantiles. Numbers below 64 have a bucket
 * each; from there each power of two has 64 buckets (as in HdrHistogram, G. Tene). A bucket is at most 1/64 of its numbers
 * wide and stands for its middle, so a quantile is off by at most 1/128 (0.8 %). Sketches are added without further error.
 */

const SUB_BITS = 6;
const SUB_BUCKETS = 1 << SUB_BITS;
/** Larger numbers count as this one. As milliseconds: 557 years. */
const MAX_NUMBER = 2 ** 44 - 1;
/** Numbers from here on are divided before bitwise operators, which read 32 bits. */
const WIDE = 2 ** 31;
const WIDE_BITS = 13;
const MIN_LENGTH = 256;

/** All buckets are smaller. */
export const SKETCH_BUCKETS = (44 - SUB_BITS + 1) * SUB_BUCKETS;

/** The bucket of a number; fractions are cut. */
export function bucketOf(number: number): number {
  if (number < WIDE) return narrowBucketOf(number);
  return narrowBucketOf(Math.min(number, MAX_NUMBER) / 2 ** WIDE_BITS) + WIDE_BITS * SUB_BUCKETS;
}

function narrowBucketOf(number: number): number {
  if (number < SUB_BUCKETS) return number | 0;
  const shift = 31 - Math.clz32(number) - SUB_BITS;
  return (shift + 1) * SUB_BUCKETS + ((number >>> shift) & (SUB_BUCKETS - 1));
}

/** The middle of the numbers of a bucket. */
function middleOf(bucket: number): number {
  if (bucket < SUB_BUCKETS) return bucket;
  const width = 2 ** ((bucket >> SUB_BITS) - 1);
  return (SUB_BUCKETS + (bucket & (SUB_BUCKETS - 1))) * width + (width - 1) / 2;
}

/** Buckets that hold numbers, ascending, and how many each. */
export interface SketchCounts {
  readonly buckets: Uint16Array;
  readonly counts: Uint32Array;
}

/** A sketch of numbers. */
export class NumberSketch {
  /** By bucket; as long as the largest number needs. */
  #counts = new Uint32Array(MIN_LENGTH);
  #total = 0;

  /** Adds a number. */
  add(number: number): void {
    const bucket = bucketOf(number);
    if (bucket >= this.#counts.length) this.#grow(bucket);
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#total++;
  }

  /** Adds the numbers of another sketch. */
  addCounts({ buckets, counts }: SketchCounts): void {
    const last = buckets[buckets.length - 1] ?? 0;
    if (last >= this.#counts.length) this.#grow(last);
    for (let i = 0; i < buckets.length; i++) {
      const [bucket, count] = [buckets[i] as number, counts[i] as number];
      this.#counts[bucket] = (this.#counts[bucket] as number) + count;
      this.#total += count;
    }
  }

  /** The buckets that hold numbers. */
  counts(): SketchCounts {
    const buckets = Uint16Array.from(
      this.#counts.keys().filter((bucket) => (this.#counts[bucket] as number) > 0),
    );
    return { buckets, counts: Uint32Array.from(buckets, (bucket) => this.#counts[bucket] as number) };
  }

  /** The least number that at least `share` (above 0, at most 1) of the numbers do not exceed; `undefined` without numbers. */
  quantile(share: number): number | undefined {
    const rank = Math.ceil(share * this.#total);
    let count = 0;
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      count += this.#counts[bucket] as number;
      if (count > 0 && count >= rank) return middleOf(bucket);
    }
    return undefined;
  }

  #grow(bucket: number): void {
    const larger = new Uint32Array(Math.min(SKETCH_BUCKETS, Math.max(2 * this.#counts.length, bucket + 1)));
    larger.set(this.#counts);
    this.#counts = larger;
  }
}
