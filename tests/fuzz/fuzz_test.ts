/** The fuzzer repeats itself from a seed, shrinks what it found, and gives inputs that its targets take. */
import { assert, assertEquals } from "@std/assert";
import { Chance } from "../crash/chance.ts";
import { kindOf } from "./finding.ts";
import { derive } from "./grammar.ts";
import { mutate } from "./mutate.ts";
import { inputAt } from "./seeds.ts";
import { shrink } from "./shrink.ts";
import { TARGETS } from "./targets.ts";

const INPUTS = 25;

for (const target of TARGETS.filter(({ name }) => name !== "heavy")) {
  Deno.test(`inputAt() gives the target ${target.name} the same inputs from the same seed, and they hold`, async () => {
    for (let index = 0; index < INPUTS; index++) {
      const input = inputAt(target, 1, index);
      assertEquals(inputAt(target, 1, index), input);
      await target.check(input);
    }
    const others = [0, 1, 2, 3].filter((index) =>
      `${inputAt(target, 1, index)}` !== `${inputAt(target, 2, index)}`
    );
    assert(others.length > 0, "another seed gives the same inputs");
  });
}

Deno.test("shrink() keeps what the mistake needs, in each text", async () => {
  const fails = ([a = "", b = ""]: readonly string[]) => Promise.resolve(a.includes("x") && /y.*y/.test(b));
  assertEquals(await shrink(["abcxdef".repeat(50), "12y34y56"], fails), ["x", "yy"]);
});

Deno.test("mutate() ends, whatever it is given, and stays within its length", () => {
  const chance = new Chance(7);
  for (const text of ["", "a", "1", "a\nb", "x".repeat(90_000)]) {
    for (let round = 0; round < 50; round++) {
      assert(mutate(text, chance, { corpus: [text], tokens: ["t"] }).length <= 100_000);
    }
  }
});

Deno.test("derive() ends for a grammar that nests for ever", () => {
  const text = derive({ a: ["x", "(<a><a>)"] }, "a", new Chance(3), 6);
  assert(/^[x()]+$/.test(text));
});

Deno.test("kindOf() is the same for mistakes that differ in what they quote", () => {
  assertEquals(kindOf(new RangeError('no "a" at 12')), kindOf(new RangeError('no "b" at 7')));
  assert(kindOf(new RangeError("one")) !== kindOf(new RangeError("other")));
});
