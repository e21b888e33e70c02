/** Lines that are copied into CSV without being read. */
import { assertEquals, assertRejects } from "@std/assert";
import { stringify } from "csv-stringify/sync";
import type { JsonObject } from "../../../../src/base/json.ts";
import { ByteFile } from "../../../../src/integrations/byte_file.ts";
import { passRows } from "../../../../src/integrations/row_files.ts";
import { CsvRows, type CsvStyle } from "../../../../src/integrations/serdes/csv/csv_rows.ts";
import { ionToCsv } from "../../../../src/integrations/serdes/csv/ion_to_csv.ts";
import { runDefinition } from "../../../support/flows/definition_run.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

const FROM = "kestra:///demo/source";

const COPIED = [
  ...["null", "true", "false", '""', '"x"', '"a b"', '"x,y"', '"x;y"', '"é 😀"', '"-1"', '" "'],
  ...["0", "1", "-1", "9007199254740993", "123456789012345678901234567890"],
  ...["1.0", "1.50", "-0.0", "0.00", "-2.500", "0.001", "1234567.25", "1.2345678901234"],
  ...["2024-02-29", "2024-02-29T10:11Z", "2024-02-29T10:11:12.5+01:00", "2024-02-29T10:11:12-00:00"],
];

const READ = [
  ...['"say \\"hi\\""', '"l1\\nl2"', '"\\u00e9"', '"\\\\"', "'x'", "[1,2]", '{"g":1}', "[]", "word", "nullx"],
  ...["-0", "1e5", "1.5e-7", "0x1F", "1_000", "1.", "0.0001", "0.000", "12345678.5", "1.123456789012345678"],
  ...["2024T", "2024-02T", "2024-02-29T", "null.int", "a::1", "{{aGk=}}"],
];

const STYLES: readonly JsonObject[] = [
  {},
  { alwaysDelimitText: true },
  { quoteMode: "ALWAYS" },
  { fieldSeparator: ";" },
  { fieldSeparator: "\t", lineDelimiter: "\r\n" },
  { fieldSeparator: "-" },
  { fieldSeparator: "::" },
  { lineDelimiter: "9" },
  { textDelimiter: "'" },
  { charset: "ISO-8859-1" },
];

/** Each cell in a row of its own between two others. */
function rowsOf(cells: readonly string[], before = ""): string {
  return cells.map((cell) => `${before}{"a":1,"b":${cell},"c":"x"}\n`).join("");
}

async function csvOf(ion: string, properties: JsonObject): Promise<Uint8Array | undefined> {
  const { bytes } = await runDefinition(ionToCsv, { from: FROM, ...properties }, { files: { [FROM]: ion } });
  return [...bytes.values()][0];
}

for (const properties of STYLES) {
  Deno.test(`a copied line gives the fields that its values give, with ${JSON.stringify(properties)}`, async () => {
    const cells = [...COPIED, ...READ];
    assertEquals(
      await csvOf(rowsOf(cells), properties),
      // A line that begins with a space is read.
      await csvOf(rowsOf(cells, " "), properties),
    );
  });
}

const STYLE: CsvStyle = {
  hasHeader: true,
  separator: ",",
  lineEnd: "\n",
  delimiter: '"',
  isDelimited: false,
  isEmptyDelimited: false,
  encoding: "utf8",
};

/** The lines of a file that are read, by their numbers from 1. */
async function readLines(ion: string, style: CsvStyle = STYLE): Promise<number[]> {
  return await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/rows.ion`, ion);
    const read: number[] = [];
    let lineNumber = 0;
    using file = new ByteFile(`${folder}/rows.csv`);
    const rows = new CsvRows(file, { style, stringify, budget: { max: Infinity, left: Infinity } });
    await passRows(`${folder}/rows.ion`, {
      line(bytes, start, end) {
        lineNumber++;
        const isCopied = rows.line(bytes, start, end);
        if (!isCopied) read.push(lineNumber);
        return isCopied;
      },
      row: (row) => rows.row(row),
    }, new AbortController().signal);
    rows.end();
    return read;
  });
}

Deno.test("lines of plain values are copied after the first, others are read", async () => {
  assertEquals(await readLines(rowsOf(["0", ...COPIED])), [1]);
  const others = ["0", ...READ];
  assertEquals(await readLines(rowsOf(others)), others.map((_, index) => index + 1));
});

Deno.test("a line with other columns, a piece of a value or a sign behind it is read", async () => {
  const lines = [
    '{"a":1,"b":2}',
    '{"a":1,"b":2}\r',
    '{"b":1,"a":2}',
    '{"a":1}',
    '{"a":1,"b":2,"c":3}',
    '{"a":1,"b":2} {"a":3,"b":4}',
    "{a:1,",
    '"b":2}',
    '{"a":1,"b":2}',
  ];
  assertEquals(await readLines(lines.join("\n")), [1, 3, 4, 5, 6, 7]);
});

Deno.test("lines longer than the buffer are copied, and rows between them keep their place", async () => {
  const long = "x".repeat(3_000_000);
  const ion = `{"a":"1"}\n{"a":"${long}"}\n{"a":"\\u0032"}\n{"a":"3"}`;
  assertEquals(await readLines(ion), [1, 3]);
  const csv = new TextDecoder().decode(await csvOf(ion, {}));
  assertEquals(csv.replace(long, "LONG"), "a\n1\nLONG\n2\n3\n");
});

Deno.test("rows are written before they have 200,000 fields together, until the budget is spent", async () => {
  await withTempDir(async (folder) => {
    const batches: number[] = [];
    const budget = { max: 1_000_000, left: 1_000_000 };
    using file = new ByteFile(`${folder}/rows.csv`);
    const rows = new CsvRows(file, {
      style: STYLE,
      stringify(given, options) {
        batches.push(given.reduce((sum, { length }) => sum + length, 0));
        return stringify(given, options);
      },
      budget,
    });
    rows.row(Object.fromEntries(Array.from({ length: 16_000 }, (_, index) => [`m${index}`, 1])));
    const write = async () => {
      for (let count = 0; count < 100; count++) await Promise.resolve(rows.row({}));
    };
    await assertRejects(write, Error, "they have more than 1000000 characters");
    assertEquals(Math.max(...batches) < 200_000, true, batches.join());
  });
});

Deno.test("a first row with more columns than the limit is refused", async () => {
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 16_385 }, (_, n) => [`c${n}`, n])));
  await assertRejects(() => csvOf(wide, {}), Error, "the first one has more than 16384 columns");
});
