import { assert, assertEquals } from "@std/assert";
import {
  bucketOf,
  NumberSketch,
  SKETCH_BUCKETS,
  type SketchCounts,
  SketchCountsWriter,
} from "../../src/base/number_sketch.ts";

const MAX_ERROR = 1 / 128;

function sketchOf(numbers: readonly number[]): NumberSketch {
  const sketch = new NumberSketch();
  for (const number of numbers) sketch.add(number);
  return sketch;
}

/** The number of that rank, from 1. */
function exact(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.ceil(share * numbers.length) - 1] ?? NaN;
}

const NUMBERS: ReadonlyMap<string, readonly number[]> = new Map([
  ["one number", [1_234]],
  ["equal numbers", Array.from({ length: 50 }, () => 77)],
  ["small numbers", Array.from({ length: 200 }, (_, i) => i % 64)],
  ["numbers of all magnitudes", Array.from({ length: 4_000 }, (_, i) => Math.floor(2 ** (43.9 * i / 4_000)))],
  ["both sides of 32 bits", Array.from({ length: 400 }, (_, i) => 2 ** 31 - 200 + i)],
]);

for (const [name, numbers] of NUMBERS) {
  Deno.test(`NumberSketch.quantile() of ${name} is off by at most 0.8 %`, () => {
    const sketch = sketchOf(numbers);
    for (const share of [0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 1]) {
      const [found, wanted] = [sketch.quantile(share) ?? NaN, exact(numbers, share)];
      assert(Math.abs(found - wanted) <= wanted * MAX_ERROR, `${share}: ${found} instead of ${wanted}`);
    }
  });
}

function countsOf(...sketches: NumberSketch[]): SketchCounts {
  const writer = new SketchCountsWriter();
  for (const sketch of sketches) sketch.writeCounts(writer);
  return writer.bytes();
}

Deno.test("NumberSketch.addCounts() gives the sketch of all numbers together", () => {
  const [a, b] = [[1, 70, 3_000, 5_000_000], [2, 70, 9e12, ...Array.from({ length: 700 }, () => 1e6)]];
  const sum = sketchOf(a);
  sum.addCounts(countsOf(sketchOf(b)));
  assertEquals(countsOf(sum), countsOf(sketchOf([...a, ...b])));
  for (const share of [0.1, 0.5, 1]) {
    assertEquals(sum.quantile(share), sketchOf([...a, ...b]).quantile(share));
  }
});

Deno.test("NumberSketch.addCounts() adds a part of the counts of several sketches", () => {
  const parts = [[5, 900], [0, 0, 2 ** 43], [64]].map(sketchOf);
  const ends = parts.map((_, index) => countsOf(...parts.slice(0, index + 1)).length);
  parts.forEach((part, index) => {
    const sum = new NumberSketch();
    sum.addCounts(countsOf(...parts), ends[index - 1] ?? 0, ends[index]);
    assertEquals(countsOf(sum), countsOf(part));
  });
});

Deno.test("NumberSketch.quantile() without numbers is undefined", () => {
  assertEquals(new NumberSketch().quantile(0.5), undefined);
  const empty = new NumberSketch();
  empty.addCounts(countsOf(new NumberSketch()));
  assertEquals(empty.quantile(1), undefined);
});

Deno.test("bucketOf() rises with the number and stays below the limit", () => {
  let last = -1;
  for (let exponent = 0; exponent < 60; exponent += 0.01) {
    const bucket = bucketOf(Math.floor(2 ** exponent));
    assert(bucket >= last && bucket < SKETCH_BUCKETS, `2^${exponent}: ${bucket}`);
    last = bucket;
  }
});
