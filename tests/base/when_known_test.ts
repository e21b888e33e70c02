import { assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { whenKnown } from "../../src/base/when_known.ts";

const double = (value: number) => value * 2;
const fail = (): never => {
  throw new RangeError("no");
};

Deno.test("whenKnown() goes on in the same turn with a value that is there", () => {
  assertEquals(whenKnown(21, double), 42);
});

Deno.test("whenKnown() goes on with a value that comes later, and with what that makes", async () => {
  const later = whenKnown(Promise.resolve(21), (value) => Promise.resolve(double(value)));
  assertInstanceOf(later, Promise);
  assertEquals(await later, 42);
});

Deno.test("whenKnown() lets errors through: at once, later, or those of the value", async () => {
  assertThrows(() => whenKnown(1, fail), RangeError);
  await assertRejects(async () => await whenKnown(Promise.resolve(1), fail), RangeError);
  await assertRejects(async () => await whenKnown(Promise.reject(new RangeError()), double), RangeError);
});
