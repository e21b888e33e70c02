/** What both readers of Ion text share: quotes, escapes, lists and structs, and the place of a fault. */
import { assertEquals, assertThrows } from "@std/assert";
import { IonScanner } from "../../../src/languages/ion/scanner.ts";

class Refusal extends Error {}

function scan(text: string, isSpaceQuotable = false): IonScanner {
  return new IonScanner(text, {
    isSpaceQuotable,
    refuse: (expected, _text, at) => {
      throw new Refusal(`expected ${expected} at ${at}`);
    },
  });
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
  Deno.test(`readQuoted() reads ${JSON.stringify(text)} only where space may be quoted`, () => {
    assertEquals(scan(text, true).readQuoted(), value);
    assertThrows(() => scan(text).readQuoted(), Refusal);
  });
}

/** A text, and what is missing where. */
const FAULTS: readonly (readonly [string, string])[] = [
  ['"a', 'expected the closing " of a text at 2'],
  ['"a\n"', 'expected the closing " of a text at 2'],
  [String.raw`"\x4"`, "expected an escape at 1"],
  [String.raw`"\U00110000"`, "expected an escape at 1"],
  [String.raw`"\q"`, "expected an escape at 3"],
  [String.raw`"\ `.trimEnd(), "expected an escape at 1"],
];
for (const [text, message] of FAULTS) {
  Deno.test(`readQuoted() refuses ${JSON.stringify(text)}`, () => {
    assertThrows(() => scan(text).readQuoted(), Refusal, message);
  });
}

Deno.test("readQuoted() gives nothing where no quote comes next", () => {
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
  const [text, message] of [
    ['["a" "b"]', 'expected "," or "]" at 5'],
    ['["a"', 'expected "," or "]" at 4'],
    ["[,]", "expected a text at 1"],
    ['{"a"}', 'expected ":" at 4'],
    ['{"a": "b";', 'expected "," or "}" at 9'],
  ] as const
) {
  Deno.test(`readList(), readStruct() refuse ${text}`, () => {
    assertThrows(() => readTexts(text), Refusal, message);
  });
}

Deno.test("readStruct() takes the name of a prototype as any other", () => {
  const value = readTexts('{"__proto__": "x"}') as object;
  assertEquals([Object.keys(value), Object.getPrototypeOf(value)], [["__proto__"], Object.prototype]);
});
