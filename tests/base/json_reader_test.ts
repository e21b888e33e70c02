/** JSON with decimals is read value by value, as `JSON.parse` reads it. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { Double, NUMBER_KINDS, parseJson, stringifyJson } from "../../src/base/json.ts";
import { readJsonTextInTurns } from "../../src/base/json_reader.ts";
import { tryParseLongJson, tryParseLongPlainJson, tryParseShortJson } from "../../src/base/json_turns.ts";

/** The value of `JSON.parse`, with numbers of their kind. */
function revived(text: string): unknown {
  return JSON.parse(
    text,
    ((_key: string, value: unknown, { source = "" }: { source?: string }) => {
      if (typeof value !== "number") return value;
      if (!Number.isFinite(value)) throw new SyntaxError(`Number ${source} is too large`);
      if (/[.eE]/.test(source)) return new Double(value);
      return Number.isSafeInteger(value) ? value : BigInt(source);
    }) as (key: string, value: unknown) => unknown,
  );
}

/** The value, or the name of the error. */
function outcome(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text);
  } catch (error) {
    return (error as Error).name;
  }
}

const NUMBERS = [
  ...["0.1", "-0.0", "-0", "1e5", "1E+5", "2.5e-300", "123456789012345678.5", "0.30000000000000004"],
  ...["9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740991", "0.9007199254740993"],
  ...[
    "900719925474099.1",
    "1.7976931348623157e308",
    "5e-324",
    "0.00000000000000000000001",
    "1e22",
    "123e-25",
  ],
  ...["100000000000000000000.0", "8.41", "0.000001", "4.35", "1.0000000000000000000000000"],
];

Deno.test("parseJson() gives each number as JSON.parse does", () => {
  for (const number of NUMBERS) {
    const text = `[1.5,${number},{"a": -${number.replace(/^-/, "")}}]`;
    assertEquals(parseJson(text), revived(text));
  }
  fc.assert(fc.property(fc.array(fc.double({ noDefaultInfinity: true, noNaN: true })), (values) => {
    const text = JSON.stringify([1.5, ...values]);
    assertEquals(parseJson(text), revived(text));
  }));
});

const PIECES = [
  ...['"', "\\", "\\u00e9", "\\ud83d", "a", "a long text with an é", "\n", "\u0001", " ", "\t", "\u2028"],
  ...["{", "}", "[", "]", ",", ":", "-", "+", ".", "e", "0", "1", "12", "1.5", "1e3", "12345678901234567890"],
  ...[
    "true",
    "false",
    "null",
    "nul",
    '"a":1.5',
    '"a"',
    '"__proto__":2.5',
    '"2":1',
    "[]",
    "{}",
    "\ufeff",
    "\u00a0",
  ],
];

Deno.test("parseJson() reads and refuses what JSON.parse does", () => {
  const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(pieces, (piece) => {
      for (const text of [piece, `[1.5,${piece}]`, `{"x":1.5,${piece}}`, `[1.5, "${piece}"]`]) {
        assertEquals(outcome(parseJson, text), outcome(revived, text), text);
      }
    }),
    { numRuns: 3_000 },
  );
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    for (const space of [undefined, 2]) {
      const text = JSON.stringify([1.5, value], undefined, space);
      assertEquals(parseJson(text), revived(text));
    }
  }));
});

Deno.test("parseJson() keeps the last of members with the same name, in the place of the first", () => {
  const text = '{"a":1.5,"b":2,"a":{"c":3.5},"__proto__":1,"__proto__":4.5}';
  assertEquals(stringifyJson(parseJson(text)), '{"a":{"c":3.5},"b":2,"__proto__":4.5}');
});

Deno.test("parseJson() reads decimals at any depth", () => {
  const levels = 50_000;
  let value = parseJson(`${"[".repeat(levels)}1.5${"]".repeat(levels)}`);
  for (let level = 0; level < levels; level++) value = (value as never)[0];
  assertEquals(value, new Double(1.5));
});

Deno.test("parseJson() refuses incomplete JSON with decimals by the message of JSON.parse", () => {
  assertThrows(() => parseJson("[1.5, 2"), SyntaxError, "Expected ',' or ']'");
});

Deno.test("JSON that is read in turns gives the same values and errors, wherever a turn ends", async () => {
  const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((parts) => parts.join(""));
  const inTurns = async (text: string, values: number) => {
    try {
      return await readJsonTextInTurns(text, NUMBER_KINDS, { values, next: () => Promise.resolve() });
    } catch (error) {
      return (error as Error).name;
    }
  };
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 5 }), pieces, async (values, piece) => {
    for (const text of [piece, `[1.5,[2,{"a":[{}]}],${piece}]`, `{"x":{"y":[1.5]},${piece}}`]) {
      assertEquals(await inTurns(text, values), outcome(parseJson, text), text);
    }
  }));
});

Deno.test("a long JSON text is read with its number kinds; undefined for one that is no JSON", async () => {
  const rows = Array.from({ length: 50_000 }, (_, n) => `{"id":${n},"price":1.50,"name":"row ${n}"}`).join(
    ",\n",
  );
  assertEquals(await tryParseLongJson(`[${rows}]`), parseJson(`[${rows}]`));
  assertEquals(await tryParseLongJson(`[${rows}`), undefined);
  assertEquals(await tryParseLongJson("[1.5]"), [new Double(1.5)]);
});

Deno.test("a long JSON text is read with plain numbers as JSON.parse reads it", async () => {
  const text = `[${`${NUMBERS.join(",")},1e999,`.repeat(2_000)}1]`;
  assertEquals(await tryParseLongPlainJson(text), JSON.parse(text));
  assertEquals(await tryParseLongPlainJson("[1.5]"), [1.5]);
});

Deno.test("a JSON text that is to be short is parsed up to 512 Ki characters", () => {
  const text = `[${" ".repeat(512 * 1024 - 2)}]`;
  assertEquals([tryParseShortJson(text), tryParseShortJson(`${text} `), tryParseShortJson("{")], [
    [],
    undefined,
    undefined,
  ]);
});

const MANY: readonly (readonly [name: string, value: string, count: number])[] = [
  ["objects", "{}", 4_001_000],
  ["lists of an item", "[0]", 2_001_000],
  ["members", '{"a":1}', 2_001_000],
];
for (const [name, value, count] of MANY) {
  Deno.test(`a long JSON text of too many ${name} is refused`, async () => {
    const text = `[${`${value},`.repeat(count)}${value}]`;
    await assertRejects(() => tryParseLongJson(text), Error, "it has more than 4000000 values");
  });
}

Deno.test("a long JSON text with an error at its end is not read a second time", async () => {
  const parse = JSON.parse;
  let calls = 0;
  JSON.parse = (text, reviver) => {
    calls++;
    return parse(text, reviver);
  };
  try {
    assertEquals(await tryParseLongJson(`[${"{},".repeat(200_000)}`), undefined);
  } finally {
    JSON.parse = parse;
  }
  assertEquals(calls, 0);
});
