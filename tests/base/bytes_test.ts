import { assertEquals, assertStrictEquals } from "@std/assert";
import { ByteCollector, joinBytes, releaseBytes } from "../../src/base/bytes.ts";

/** The parts, and what they are together. */
const JOINED: readonly (readonly [number[][], number[]])[] = [
  [[], []],
  [[[], []], []],
  [[[1, 2], [], [3]], [1, 2, 3]],
];
for (const [parts, all] of JOINED) {
  Deno.test(`joinBytes() concatenates ${JSON.stringify(parts)}`, () => {
    assertEquals(joinBytes(parts.map((part) => Uint8Array.from(part))), Uint8Array.from(all));
  });
}

Deno.test("joinBytes() does not copy a single part", () => {
  const part = Uint8Array.of(1, 2);
  assertStrictEquals(joinBytes([part]), part);
});

Deno.test("releaseBytes() empties bytes that have a buffer of their own", () => {
  const bytes = Uint8Array.of(1, 2);
  releaseBytes(bytes);
  assertEquals([bytes.length, bytes.buffer.byteLength], [0, 0]);
});

Deno.test("releaseBytes() leaves a part of a larger buffer as it is", () => {
  const bytes = Uint8Array.of(1, 2, 3);
  releaseBytes(bytes.subarray(1));
  assertEquals(bytes, Uint8Array.of(1, 2, 3));
});

Deno.test("ByteCollector keeps a copy of the parts, not their buffers", () => {
  const collector = new ByteCollector();
  const part = new Uint8Array(3);
  for (let value = 0; value < 2_000; value++) collector.add(part.fill(value));
  const bytes = collector.take();
  assertEquals([collector.size, bytes.length, bytes.buffer.byteLength], [0, 6_000, 6_000]);
  assertEquals([...bytes.subarray(5_994)], [206, 206, 206, 207, 207, 207]);
});
