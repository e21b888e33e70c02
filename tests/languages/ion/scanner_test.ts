/** The lexical part of Ion text: quotes, escapes, lists and structs, and the positions of errors. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { IonError } from "../../../src/languages/ion/mod.ts";
import { IonScanner } from "../../../src/languages/ion/scanner.ts";

function scan(text: string, isSpaceQuotable = false): IonScanner {
  return new IonScanner(text, { isSpaceQuotable });
}

/** Asserts what is expected, and at which line and column. */
function assertRefused(read: () => unknown, [expected, place]: readonly [string, string]): void {
  const { reason } = assertThrows(read, IonError);
  assertEquals(
    [reason.startsWith(`expected ${expected}, but found `), reason.endsWith(place)],
    [true, true],
    reason,
  );
}

/** A text, and what is read from it. */
const QUOTED: readonly (readonly [string, string])[] = [
  [`""`, ""],
  [`"it's"`, "it's"],
  [`'say "x"'`, 'say "x"'],
  [String.raw`"\a\b\t\n\f\r\v\0\?\/\\\"\'"`, "\u0007\b\t\n\f\r\v\0?/\\\"'"],
  [String.raw`"\x41\u00e9\U0001F600"`, "Aé😀"],
  [String.raw`"\U0010FFFF"`, "\u{10ffff}"],
];
for (const [text, value] of QUOTED) {
  Deno.test(`readQuoted() reads ${text}`, () => {
    const scanner = scan(text);
    assertEquals([scanner.readQuoted(), scanner.isAtEnd], [value, true]);
  });
}

for (const [text, value] of [['"a\tb"', "a\tb"], ['"a\\\nb"', "ab"], ['"a\\\r\nb"', "ab"]] as const) {
  Deno.test(`readQuoted() reads ${JSON.stringify(text)} only when isSpaceQuotable`, () => {
    assertEquals(scan(text, true).readQuoted(), value);
    assertThrows(() => scan(text).readQuoted(), IonError);
  });
}

/** A text, and what is missing where. */
const FAULTS: readonly (readonly [string, string, string])[] = [
  ['"a', 'the closing " of a text', "line 1, column 3"],
  ['"a\n"', 'the closing " of a text', "line 1, column 3"],
  [String.raw`"\x4"`, "an escape", "line 1, column 2"],
  [String.raw`"\U00110000"`, "an escape", "line 1, column 2"],
  [String.raw`"\q"`, "an escape", "line 1, column 4"],
  [String.raw`"\ `.trimEnd(), "an escape", "line 1, column 2"],
];
for (const [text, expected, place] of FAULTS) {
  Deno.test(`readQuoted() refuses ${JSON.stringify(text)}`, () => {
    assertRefused(() => scan(text).readQuoted(), [expected, place]);
  });
}

Deno.test("readQuoted() gives undefined when no quote comes next", () => {
  const scanner = scan("a");
  assertEquals([scanner.readQuoted(), scanner.at], [undefined, 0]);
});

/** Reads texts in quotes, as a list or a struct. */
function readTexts(text: string): unknown {
  const scanner = scan(text);
  const read = () => {
    scanner.skipSpace();
    return scanner.readQuoted() ?? scanner.refuse("a text");
  };
  return scanner.accept("[") ? scanner.readList(read) : scanner.accept("{") && scanner.readStruct(read, read);
}

const CONTAINERS: readonly (readonly [string, unknown])[] = [
  ["[ /* none */ ]", []],
  ['["a", "b" , // last\n]', ["a", "b"]],
  ['{"a" : "b", "a": "c"}', { a: "c" }],
];
for (const [text, value] of CONTAINERS) {
  Deno.test(`readList(), readStruct() read ${JSON.stringify(text)}`, () => {
    assertEquals(readTexts(text), value);
  });
}

for (
  const [text, expected, place] of [
    ['["a" "b"]', '"," or "]"', "line 1, column 6"],
    ['["a"', '"," or "]"', "line 1, column 5"],
    ["[,]", "a text", "line 1, column 2"],
    ['{"a"}', '":"', "line 1, column 5"],
    ['{"a": "b";', '"," or "}"', "line 1, column 10"],
  ] as const
) {
  Deno.test(`readList(), readStruct() refuse ${text}`, () => {
    assertRefused(() => readTexts(text), [expected, place]);
  });
}

Deno.test("readStruct() treats the name of a prototype as any other", () => {
  const value = readTexts('{"__proto__": "x"}') as object;
  assertEquals([Object.keys(value), Object.getPrototypeOf(value)], [["__proto__"], Object.prototype]);
});

Deno.test("readQuoted() reads short escapes without a pattern for each of them", () => {
  let matches = 0;
  const original = RegExp.prototype.exec;
  RegExp.prototype.exec = function (text: string) {
    matches++;
    return original.call(this, text);
  };
  try {
    const text = `"${"\\a".repeat(10_000)}it's${"\\n".repeat(10_000)}\\x41"`;
    const expected = `${"\u0007".repeat(10_000)}it's${"\n".repeat(10_000)}A`;
    assertEquals(scan(text).readQuoted() === expected, true);
  } finally {
    RegExp.prototype.exec = original;
  }
  assert(matches < 10, `${matches}`);
});
