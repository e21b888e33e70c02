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
const MAX_BYTE = 255;

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

/**
 * How many numbers each bucket holds, in pairs of bytes: the distance to the bucket before, and a count to add. A larger
 * distance or count takes several pairs.
 */
export type SketchCounts = Uint8Array;

/** Collects {@link SketchCounts} one behind the other. */
export class SketchCountsWriter {
  #bytes = new Uint8Array(MIN_LENGTH);
  #length = 0;

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Drops what was written; the memory is kept. */
  clear(): void {
    this.#length = 0;
  }

  /** Appends counts by bucket. */
  add(counts: Uint32Array): void {
    let last = 0;
    for (let bucket = 0; bucket < counts.length; bucket++) {
      if (counts[bucket] === 0) continue;
      let distance = bucket - last;
      for (; distance > MAX_BYTE; distance -= MAX_BYTE) this.#addPair(MAX_BYTE, 0);
      for (let count = counts[bucket] as number; count > 0; count -= MAX_BYTE) {
        this.#addPair(distance, Math.min(count, MAX_BYTE));
        distance = 0;
      }
      last = bucket;
    }
  }

  /** A copy of the bytes. */
  bytes(): SketchCounts {
    return this.#bytes.slice(0, this.#length);
  }

  #addPair(distance: number, count: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = distance;
    this.#bytes[this.#length++] = count;
  }
}

/** A sketch of numbers. */
export class NumberSketch {
  /** By bucket; as long as the largest number needs. */
  #counts = new Uint32Array(MIN_LENGTH);
  #total = 0;

  /** How many numbers were added. */
  get total(): number {
    return this.#total;
  }

  /** Removes all numbers; the memory is kept. */
  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
  }

  /** Adds a number. */
  add(number: number): void {
    const bucket = bucketOf(number);
    if (bucket >= this.#counts.length) this.#grow(bucket);
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#total++;
  }

  /** Adds the numbers of another sketch: the counts in `bytes` from `from` to `to`. */
  addCounts(bytes: SketchCounts, from = 0, to = bytes.length): void {
    let counts = this.#counts;
    let [bucket, total] = [0, 0];
    for (let at = from; at < to; at += 2) {
      bucket += bytes[at] as number;
      const count = bytes[at + 1] as number;
      if (bucket >= counts.length) {
        this.#grow(bucket);
        counts = this.#counts;
      }
      counts[bucket] = (counts[bucket] as number) + count;
      total += count;
    }
    this.#total += total;
  }

  /** Appends the counts of the buckets. */
  writeCounts(writer: SketchCountsWriter): void {
    writer.add(this.#counts);
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
