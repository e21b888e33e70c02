import { assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../src/model/errors.ts";
import { filterInTurns } from "../../src/model/list_filter.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";

const NUMBERS = Array.from({ length: 20 }, (_, number) => number);

/** A filter of even numbers that takes some time for each number, and the numbers that it was asked for. */
function slowFilter(msPerNumber: number) {
  const clock = new FakeClock();
  const tested: number[] = [];
  const isEven = (number: number) => {
    clock.jump(msPerNumber);
    tested.push(number);
    return number % 2 === 0;
  };
  return { clock, tested, run: () => filterInTurns(NUMBERS, isEven, clock) };
}

Deno.test("filterInTurns() lets others run after four milliseconds", async () => {
  const { tested, run } = slowFilter(1);
  const filtered = run();
  assertEquals(tested, NUMBERS.slice(0, 4));
  assertEquals(await filtered, NUMBERS.filter((number) => number % 2 === 0));
});

Deno.test("filterInTurns() refuses a filter that takes more than half a second, without pauses", async () => {
  const fitting = slowFilter(25);
  const filtered = fitting.run();
  fitting.clock.jump(10_000);
  assertEquals((await filtered).length, 10);
  const { tested, run } = slowFilter(50);
  const error = await assertRejects(run, DomainError, "comparing all names takes too long");
  assertEquals([error.code, tested.length], ["invalid_filter", 11]);
});
