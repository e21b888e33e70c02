import { assertEquals, assertStrictEquals } from "@std/assert";
import { joinBytes } from "../../src/base/bytes.ts";

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
