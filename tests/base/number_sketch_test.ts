import { assert, assertEquals } from "@std/assert";
import { bucketOf, NumberSketch, SKETCH_BUCKETS } from "../../src/base/number_sketch.ts";

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

Deno.test("NumberSketch.addCounts() gives the sketch of all numbers together", () => {
  const [a, b] = [[1, 70, 3_000, 5_000_000], [2, 70, 9e12]];
  const sum = sketchOf(a);
  sum.addCounts(sketchOf(b).counts());
  assertEquals(sum.counts(), sketchOf([...a, ...b]).counts());
  assertEquals(sum.quantile(0.5), sketchOf([...a, ...b]).quantile(0.5));
});

Deno.test("NumberSketch.quantile() without numbers is undefined", () => {
  assertEquals(new NumberSketch().quantile(0.5), undefined);
  const empty = new NumberSketch();
  empty.addCounts(new NumberSketch().counts());
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
