/** What matching costs is what it takes from the budget: parts of classes and groups are not free. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ExpressionError } from "../../../src/expr/mod.ts";
import { Regex } from "../../../src/languages/regex/mod.ts";

/** Patterns that do much for each character of a text. */
const COSTLY: readonly (readonly [what: string, pattern: string])[] = [
  ["classes within a class", `[${"[b]".repeat(300)}]*z`],
  ["many signs in a class", `[^${"b-c".repeat(300)}]*z`],
  ["folded signs in a class", `(?iu)[${"b".repeat(900)}]*z`],
  ["properties in a class", `[${"\\p{L}".repeat(150)}]*z`],
  ["parts of a class within a look-around", `(?!(?:[${"[b]".repeat(250)}]))z`],
  ["places before which a look-behind begins", "(?<=(?!))"],
  ["look-ahead of nothing", `${"(?=)".repeat(240)}(?!)`],
  ["atomic groups of nothing", `${"(?>)".repeat(240)}(?!)`],
  ["groups of nothing", `${"()".repeat(400)}(?!)`],
  ["alternatives of nothing", `(?:${"|".repeat(900)})(?!)`],
  ["repeats of nothing", `${"a{0}".repeat(240)}(?!)`],
  ["repeats of groups that end at once", `${"(a){0}".repeat(160)}(?!)`],
];

/** Nested classes that ignore case, with characters that they accept and refuse. */
const NESTED_CLASSES: readonly (readonly [pattern: string, accepted: string, refused: string])[] = [
  ["(?i)[x[a-c]]", "xXaAcC", "dD1"],
  ["(?i)[^[^a-c]]", "aAbB", "dD1"],
  ["(?i)[a-z&&[^B]]", "aAcC", "bB1"],
  ["(?iu)[é[^ä-ü]]", "éÉaA", "äÄöÖ"],
  ["(?i)[[a-c]&&[b-d][x]]", "bBcC", "aAdDxX"],
];

for (const [what, pattern] of COSTLY) {
  Deno.test(`Regex.find() counts moves for ${what}`, () => {
    const budget = { moves: 100_000, maxLength: 1_000 };
    assertThrows(
      () => new Regex(pattern).find("1".repeat(10_000), 0, budget),
      ExpressionError,
      "too many moves",
    );
  });
}

Deno.test("Regex.find() tests a character once for each class around it, also when case is ignored", () => {
  const depth = 20;
  let tests = 0;
  const nested = `${"[^".repeat(depth)}\\p{L}${"]".repeat(depth)}`;
  const original = RegExp.prototype.test;
  RegExp.prototype.test = function (text: string): boolean {
    tests++;
    return original.call(this, text);
  };
  try {
    new Regex(`(?iu)${nested}`).find("1", 0, { moves: 1_000, maxLength: 0 });
  } finally {
    RegExp.prototype.test = original;
  }
  assert(tests <= 10 * depth, `${tests} tests`);
});

for (const [pattern, accepted, refused] of NESTED_CLASSES) {
  Deno.test(`Regex.find() ignores case within the nested classes ${pattern}`, () => {
    const regex = new Regex(pattern), budget = { moves: 1_000, maxLength: 0 };
    assertEquals([...accepted].filter((sign) => !regex.find(sign, 0, budget)), []);
    assertEquals([...refused].filter((sign) => regex.find(sign, 0, budget)), []);
  });
}

function movesOf(pattern: string, text: string): number {
  const budget = { moves: 1e7, maxLength: 1_000 };
  new Regex(pattern).find(text, 0, budget);
  return 1e7 - budget.moves;
}

Deno.test("Regex.find() counts the tests of a class that ignores case in all letters, and properties twice", () => {
  const text = "1".repeat(100);
  const signs = movesOf(`[${"b".repeat(100)}]z`, text), folded = movesOf(`(?iu)[${"b".repeat(100)}]z`, text);
  assert(folded > 2.5 * signs, `${folded} moves when case is ignored, ${signs} else`);
  const properties = movesOf(`[${"\\p{Lu}".repeat(100)}]z`, text);
  assert(properties > 1.8 * signs, `${properties} moves for properties, ${signs} for signs`);
});

Deno.test("Regex.find() counts moves for groups", () => {
  const text = "a".repeat(20);
  const kept = movesOf(`${"(a?)".repeat(160)}z`, text), passed = movesOf(`${"(?:a?)".repeat(160)}z`, text);
  assert(kept > 4 * passed, `${kept} moves with groups, ${passed} without`);
});

/** A part in many groups, and the same part in one: the groups end once for each match of the part. */
const NESTED: readonly (readonly [what: string, opening: string, closing: string])[] = [
  ["groups", "(", ")"],
  ["repeats", "(?:", "b?)?"],
];

for (const [what, opening, closing] of NESTED) {
  Deno.test(`Regex.find() counts moves for the ends of nested ${what}`, () => {
    const nested = (depth: number) => `\\A${opening.repeat(depth)}a*${closing.repeat(depth)}(?!)`;
    const text = "a".repeat(200);
    const deep = movesOf(nested(90), text), flat = movesOf(nested(1), text);
    assert(deep > 10 * flat, `${deep} moves for 90 ${what}, ${flat} for one`);
  });
}

Deno.test("Regex.find() counts moves for the groups that look-ahead and atomic groups restore", () => {
  for (const part of ["(?=(b)?)", "(?>(b)?)"]) {
    const moves = (groups: number) => movesOf(`\\A(?:${"(z)".repeat(groups)}|${part}a)*y`, "a".repeat(100));
    const many = moves(200), one = moves(1);
    assert(many - one >= 100 * (2 * 200 >>> 6), `${part}: ${many} moves with 200 groups, ${one} with one`);
  }
});

/** Characters of a compared text that take a move. */
const COMPARED: readonly (readonly [flags: string, characters: number])[] = [["", 256], ["(?i)", 4]];

for (const [flags, characters] of COMPARED) {
  Deno.test(`Regex.find() counts moves for the texts that ${flags}\\1 compares`, () => {
    const word = "a".repeat(5_000), count = 100;
    const pattern = `${flags}\\A(a*)(?:,\\1)*z`;
    const text = word + `,${word}`.repeat(count);
    const moves = movesOf(pattern, text) - movesOf(pattern, text.replaceAll(",", ";"));
    assert(moves >= count * Math.floor(word.length / characters), `${moves} moves`);
  });
}

for (const pattern of ["a()", "a"]) {
  Deno.test(`Regex.replaceAll() counts moves for the replacements of ${pattern}`, () => {
    const budget = { moves: 100_000, maxLength: 10_000_000 };
    const replacement = "$1".repeat(pattern === "a" ? 0 : 10_000).padEnd(10_000, "\\");
    const replace = () => new Regex(pattern).replaceAll("a".repeat(1_000), replacement, budget);
    assertThrows(replace, ExpressionError, "too many moves");
  });
}

/** Repeated parts that match in one way at most, with a text that they repeat on. */
const ONE_WAY: readonly (readonly [pattern: string, text: string])[] = [
  ["(?:(?!end).)*end", "x"],
  ["(?:(?!end).)*?end", "x"],
  ["(?:(?!end).)*+end", "x"],
  ["(?:(?=x)x(?<=x)){1000,}end", "x"],
  ["(?:(?=x|y)\\w\\b )+end", "x "],
  ["(?:(?>x|xy)y)*end", "xy"],
  ["(x)(?:\\1)*end", "x"],
];

for (const [pattern, part] of ONE_WAY) {
  Deno.test(`Regex.find() repeats ${pattern} as often as the text does`, () => {
    const text = part.repeat(20_000) + "end";
    const match = new Regex(pattern).find(text, 0, { moves: 1e6, maxLength: 1_000 });
    assertEquals([match?.start, match?.end], [0, text.length]);
  });
}

Deno.test("Regex.find() counts moves for parts that match nothing", () => {
  const budget = { moves: 100_000, maxLength: 1_000 };
  const find = () => new Regex("(?:(?=)){9000}z").find("x".repeat(1_000), 0, budget);
  assertThrows(find, ExpressionError, "too many moves");
});
