/** Files of rows. */
import { assertEquals, assertRejects } from "@std/assert";
import { type JsonValue, stringifyJson } from "../../src/base/json.ts";
import { linesOf, passRows, readRows, rowLines, writePieces } from "../../src/integrations/row_files.ts";
import { withTempDir } from "../support/temp_dir.ts";

Deno.test("writePieces() writes pieces until the budget of all files is spent", async () => {
  const { signal } = new AbortController();
  const budget = { max: 12, left: 12 };
  await withTempDir(async (folder) => {
    await writePieces(`${folder}/1`, rowLines([[1], [2]]), signal, budget);
    assertEquals(await Deno.readTextFile(`${folder}/1`), "[1]\n[2]\n");
    await assertRejects(
      () => writePieces(`${folder}/2`, rowLines([[3], [4]]), signal, budget),
      Error,
      "Cannot write the rows: they have more than 12 characters, the limit for a source of this size",
    );
  });
});

Deno.test("rowLines() refuses a long text within a row, for which V8 would end the process", async () => {
  const text = new Array(97).fill("y".repeat(1_048_576)).join("");
  for (const row of [{ a: text }, { a: [{ b: text }] }, [text]]) {
    await assertRejects(
      () => rowLines([row]).next(),
      Error,
      "Cannot write a row: a text has 101711872 characters, and at most 100663296 are possible",
    );
  }
});

/** The values of a text as a file, read in both ways. */
async function rowsOf(text: string): Promise<readonly JsonValue[][]> {
  return await withTempDir(async (folder) => {
    const path = `${folder}/rows.ion`, passed: JsonValue[] = [];
    await Deno.writeTextFile(path, text);
    const receiver = { line: () => false, row: (row: JsonValue) => void passed.push(row) };
    await passRows(path, receiver, new AbortController().signal);
    return [await Array.fromAsync(readRows(path)), passed];
  });
}

const BETWEEN = "\n".repeat(50);
const SPANNING: readonly (readonly [what: string, text: string, json: string])[] = [
  ["lists and maps", "{\n a: [\n1,\n (2)\n] }\n[3]\n{}", '[{"a":[1,[2]]},[3],{}]'],
  ["a value that ends with the file", `[${BETWEEN}1]`, "[[1]]"],
  ["brackets in texts", '["[",\n"\\"]",\n\']\', "{"]\n2', '[["[","\\"]","]","{"],2]'],
  ["an escaped end of a line", '["a\\\n]b"]\n2', '[["a]b"],2]'],
  ["long texts", "'''a]\n}'''\n'''b'''\n3", '["a]\\n}","b",3]'],
  ["comments", "[ // ]\n/* ] ' \n]*/ 1 /*\n]*/\n]\n2", "[[1],2]"],
  ["base64 with slashes", "[{{//8=}},\n{{//8=\n}}]\n2", '[["//8=","//8="],2]'],
  ["braces in a clob", '[\n{{"}}"}}]\n2', '[["}}"],2]'],
  ["structures in structures", "{a:{b:\n{c:{}}}}\n2", '[{"a":{"b":{"c":{}}}},2]'],
  ["a name before its value", `a::${BETWEEN}// x\n[\n1]`, "[[1]]"],
  [
    "long values after each other",
    `[${"{\n},\n".repeat(1_000)}1]\n`.repeat(3),
    stringifyJson(new Array(3).fill([...new Array(1_000).fill({}), 1])),
  ],
];

for (const [what, text, json] of SPANNING) {
  Deno.test(`values of a file may span lines: ${what}`, async () => {
    for (const rows of await rowsOf(text)) assertEquals(stringifyJson(rows), json);
  });
}

for (const text of ["1\n[\n2\n", `1\n]${"\n3".repeat(100)}`, `1\n[${"\n2".repeat(140_000)}`]) {
  Deno.test(`readRows() names the first line of a malformed value of ${text.length} characters`, async () => {
    await assertRejects(
      () => rowsOf(text),
      Error,
      "Cannot read the rows: the value of line 2 is malformed: Cannot read the Ion text",
    );
  });
}

/** Calls of `JSON.parse` while `work` runs. */
async function parsesOf(work: () => Promise<unknown>): Promise<number> {
  const { parse } = JSON;
  let calls = 0;
  JSON.parse = (text, reviver) => {
    calls++;
    return parse(text, reviver);
  };
  try {
    await work();
  } finally {
    JSON.parse = parse;
  }
  return calls;
}

const FEW_PARSES: readonly (readonly [what: string, text: string])[] = [
  ["within brackets", `[${"{},".repeat(1_000)}${"\n".repeat(2_000)}1]`],
  ["within a text", `["${"[],".repeat(1_000)}${"\\\n".repeat(2_000)}"]`],
  ["that seem to end it", `a::${"[].".repeat(1_000)}${"\n".repeat(2_000)}`],
];

for (const [what, text] of FEW_PARSES) {
  Deno.test(`readRows() reads a value of many lines a few times ${what}`, async () => {
    const parses = await parsesOf(() => rowsOf(text).catch(() => undefined));
    assertEquals(parses < 100, true, `${parses} times`);
  });
}

Deno.test("lines are the same, wherever the pieces of their text end", async () => {
  const text = "a\r\n\nbc\n\r\r\nd";
  for (let size = 1; size <= text.length; size++) {
    const pieces = async function* () {
      for (let at = 0; at < text.length; at += size) yield await Promise.resolve(text.slice(at, at + size));
    };
    assertEquals(await Array.fromAsync(linesOf(pieces())), ["a", "", "bc", "\r", "d"], String(size));
  }
});

Deno.test("the characters of a long line are read once", async () => {
  const pieces = async function* () {
    for (let count = 0; count < 100; count++) yield await Promise.resolve("x".repeat(1_000));
  };
  const { split } = String.prototype;
  let chars = 0;
  String.prototype.split = function (...args: [never]) {
    chars += this.length;
    return split.apply(this, args);
  };
  try {
    assertEquals((await Array.fromAsync(linesOf(pieces()))).map(({ length }) => length), [100_000]);
  } finally {
    String.prototype.split = split;
  }
  assertEquals(chars < 200_000, true, `${chars} characters`);
});
