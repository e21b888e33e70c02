import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { Key } from "../../../src/store/store.ts";
import { decodeKey, encodeKey } from "../../../src/store/kv_connect/key_codec.ts";

/** Keys and their bytes, as `Deno.openKv()` stores them. */
const ROWS: readonly (readonly [Key, string])[] = [
  [["a"], "026100"],
  [["a\0b"], "026100ff6200"],
  [["ä", ""], "02c3a4000200"],
  [[new Uint8Array([0, 255, 0])], "0100ffff00ff00"],
  [[0], "218000000000000000"],
  [[1, -1], "21bff000000000000021400fffffffffffff"],
  [[0n, 1n, 256n], "14150116" + "0100"],
  [[-1n, -256n], "13fe12feff"],
  [[true, false], "2726"],
];

for (const [key, hex] of ROWS) {
  Deno.test(`encodeKey() and decodeKey() of ${hex}`, () => {
    assertEquals(encodeKey(key).toHex(), hex);
    assertEquals(decodeKey(Uint8Array.fromHex(hex)), key);
  });
}

const part = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.uint8Array(),
  fc.double({ noNaN: true }),
  fc.bigInt({ min: -(2n ** 64n) + 1n, max: 2n ** 64n - 1n }),
  fc.boolean(),
);

Deno.test("decodeKey() is the inverse of encodeKey()", () => {
  fc.assert(fc.property(fc.array(part), (key) => assertEquals(decodeKey(encodeKey(key)), key)));
});

Deno.test("encodeKey() keeps the order of numbers and of texts", () => {
  const isBefore = (a: Key, b: Key) => encodeKey(a).toHex() < encodeKey(b).toHex();
  const number = fc.double({ noNaN: true });
  fc.assert(fc.property(number, number, (a, b) => a >= b || isBefore([a], [b])));
  const ascii = fc.string({ unit: "binary-ascii" });
  fc.assert(fc.property(ascii, ascii, (a, b) => a >= b || isBefore([a, "x"], [b])));
});

Deno.test("decodeKey() refuses bytes that are no key", () => {
  for (const hex of ["0261", "0200ff", "28", "1d", "0100ff"]) {
    assertThrows(() => decodeKey(Uint8Array.fromHex(hex)), Error, "Cannot read a key");
  }
});

Deno.test("encodeKey() refuses an integer of more than 64 bits", () => {
  assertThrows(() => encodeKey([2n ** 64n]), Error, "more than 64 bits");
});
