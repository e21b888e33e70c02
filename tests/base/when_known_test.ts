import { assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { whenKnown } from "../../src/base/when_known.ts";

const double = (value: number) => value * 2;
const fail = (): never => {
  throw new RangeError("no");
};

Deno.test("whenKnown() calls next in the same turn for an available value", () => {
  assertEquals(whenKnown(21, double), 42);
});

Deno.test("whenKnown() awaits a promised value and a promised result", async () => {
  const later = whenKnown(Promise.resolve(21), (value) => Promise.resolve(double(value)));
  assertInstanceOf(later, Promise);
  assertEquals(await later, 42);
});

Deno.test("whenKnown() passes errors of next, sync or async, and of the value", async () => {
  assertThrows(() => whenKnown(1, fail), RangeError);
  await assertRejects(async () => await whenKnown(Promise.resolve(1), fail), RangeError);
  await assertRejects(async () => await whenKnown(Promise.reject(new RangeError()), double), RangeError);
});
