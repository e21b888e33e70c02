/** Conversion between CSV and Ion. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { csvToIon } from "../../../../src/integrations/serdes/csv/csv_to_ion.ts";
import { ionToCsv } from "../../../../src/integrations/serdes/csv/ion_to_csv.ts";
import { runDefinition } from "../../../support/flows/definition_run.ts";

const FROM = "kestra:///demo/source";

/** CSV, properties, the rows of Ion. */
const READ: readonly (readonly [name: string, csv: string, properties: JsonObject, ion: string])[] = [
  ["names of the header", "a,b\n1,x\n2,\n", {}, '{"a":"1","b":"x"}\n{"a":"2","b":""}\n'],
  ["lists without a header", "a,b\n1,x\n", { header: false }, '["a","b"]\n["1","x"]\n'],
  [
    "separator and delimiter",
    "a;b\n'x;y';z\n",
    { fieldSeparator: ";", textDelimiter: "'" },
    '{"a":"x;y","b":"z"}\n',
  ],
  ["delimited line breaks and quotes", 'a\n"x\n""y"""\n', {}, '{"a":"x\\n\\"y\\""}\n'],
  ["rows to leave out", "made by b\n\na\n1\n\n", { skipRows: 1, skipEmptyRows: true }, '{"a":"1"}\n'],
  ["byte order mark and CRLF", "\ufeffa,b\r\n1,2\r\n", {}, '{"a":"1","b":"2"}\n'],
  ["missing fields", "a,b\n1\n", {}, '{"a":"1","b":null}\n'],
  ["columns without a name", "a,,\n1,2,3\n", {}, '{"a":"1"}\n'],
  ["columns that get a name", "a,\n1,2\n", { onEmptyHeader: "RENAME" }, '{"a":"1","col_1":"2"}\n'],
  ["a separator of 16 characters", `a${"|".repeat(16)}b\n`, {
    fieldSeparator: "|".repeat(16),
    header: false,
  }, '["a","b"]\n'],
  ["names of prototypes", "__proto__,constructor\n1,2\n", {}, '{"__proto__":"1","constructor":"2"}\n'],
];

for (const [name, csv, properties, expected] of READ) {
  Deno.test(`CsvToIon reads ${name}`, async () => {
    const { outputs, files, metrics } = await runDefinition(csvToIon, { from: FROM, ...properties }, {
      files: { [FROM]: csv },
    });
    assertEquals(files.get(String(outputs.uri)), expected);
    assertEquals(metrics.records, expected.split("\n").length - 1);
  });
}

Deno.test("CsvToIon reads a text of the character set that is named", async () => {
  const bytes = new Uint8Array([...new TextEncoder().encode("a\n"), 0xe9, 0x0a]);
  const { files } = await runDefinition(csvToIon, { from: FROM, charset: "ISO-8859-1" }, {
    files: { [FROM]: bytes },
  });
  assertEquals([...files.values()], ['{"a":"é"}\n']);
});

Deno.test("CsvToIon leaves malformed rows out with a warning where that is allowed", async () => {
  const csv = 'a,b\n1,2,3\n4,5\nx"y,2\n6,7\n';
  const warned = await runDefinition(csvToIon, { from: FROM, onBadLines: "WARN" }, {
    files: { [FROM]: csv },
  });
  assertEquals([...warned.files.values()], ['{"a":"4","b":"5"}\n{"a":"6","b":"7"}\n']);
  assertEquals(warned.logs.length, 2);
  const skipped = await runDefinition(csvToIon, { from: FROM, onBadLines: "SKIP" }, {
    files: { [FROM]: csv },
  });
  assertEquals([skipped.files.size, skipped.logs], [1, []]);
});

/** CSV, properties, the error. */
const REFUSED: readonly (readonly [csv: string, properties: JsonObject, error: string])[] = [
  ["a,b\n1,2,3\n", {}, "a row has 3 fields, the header 2"],
  ["a,b\n1\n", { errorOnDifferentFieldCount: true }, "a row has 1 fields, the header 2"],
  ['a\nx"y\n', {}, "Invalid Opening Quote"],
  ["a\n1\n", { fieldSeparator: ",".repeat(17) }, "Invalid fieldSeparator: it has more than 16 characters"],
  ["a\n1\n", { textDelimiter: "'".repeat(17) }, "Invalid textDelimiter: it has more than 16 characters"],
  [",".repeat(16_384), { onEmptyHeader: "RENAME" }, "its header has more than 16384 columns"],
  ["a\n1\n", { charset: "klingon" }, 'Invalid charset: "klingon" is not known'],
];

for (const [csv, properties, error] of REFUSED) {
  Deno.test(`CsvToIon refuses: ${error}`, async () => {
    await assertRejects(
      () => runDefinition(csvToIon, { from: FROM, ...properties }, { files: { [FROM]: csv } }),
      Error,
      error,
    );
  });
}

for (const onBadLines of ["ERROR", "SKIP"]) {
  Deno.test(`CsvToIon refuses a row that does not end within 32 MiB, with onBadLines ${onBadLines}`, async () => {
    const csv = `a,b\n1,"stray\n${"2,some words\n".repeat(3_000_000)}3,"\n`;
    await assertRejects(
      () => runDefinition(csvToIon, { from: FROM, onBadLines }, { files: { [FROM]: csv } }),
      Error,
      "record exceed the maximum number of tolerated bytes of 33554432",
    );
  });
}

/** Ion, properties, CSV. */
const WRITTEN: readonly (readonly [name: string, ion: string, properties: JsonObject, csv: string])[] = [
  ["columns of the first row", '{"a":1,"b":"x"}\n{"b":"y","c":2}\n', {}, "a,b\n1,x\n,y\n"],
  ["no header", "{a:1,b:2}\n", { header: false }, "1,2\n"],
  ["rows that are lists", '["a","b"]\n[1,2]\n', {}, "a,b\n1,2\n"],
  [
    "what needs delimiters",
    '{"a":"x,y","b":"say \\"hi\\"","c":"l1\\nl2"}\n',
    {},
    'a,b,c\n"x,y","say ""hi""","l1\nl2"\n',
  ],
  ["every field delimited", '{"a":1,"b":""}\n', { alwaysDelimitText: true }, '"a","b"\n"1",""\n'],
  ["every field delimited by mode", '{"a":1}\n', { quoteMode: "ALWAYS" }, '"a"\n"1"\n'],
  ["separator, delimiter and line end", '{"a":"x;y","b":2}\n', {
    fieldSeparator: ";",
    textDelimiter: "'",
    lineDelimiter: "\r\n",
  }, "a;b\r\n'x;y';2\r\n"],
  [
    "kinds of values",
    "{a:null,b:true,c:1.50,d:12345678901234567890,e:[1,2],f:{g:1},h:2024-01-02T03:04:05Z}\n",
    {},
    'a,b,c,d,e,f,h\n,true,1.5,12345678901234567890,"[1,2]","{""g"":1}",2024-01-02T03:04:05Z\n',
  ],
  ["values over several lines", "{\n  a: 1\n}\n{a: 2} {a: 3}\n", {}, "a\n1\n2\n3\n"],
  ["an empty file", "", {}, ""],
];

for (const [name, ion, properties, expected] of WRITTEN) {
  Deno.test(`IonToCsv writes ${name}`, async () => {
    const { outputs, files } = await runDefinition(ionToCsv, { from: FROM, ...properties }, {
      files: { [FROM]: ion },
    });
    assertEquals(files.get(String(outputs.uri)), expected);
  });
}

Deno.test("IonToCsv writes the character set that is named, and refuses one that it cannot write", async () => {
  const options = { files: { [FROM]: '{"é":1}\n' } };
  const { bytes } = await runDefinition(ionToCsv, { from: FROM, charset: "ISO-8859-1" }, options);
  assertEquals([...[...bytes.values()][0] ?? []], [0xe9, 0x0a, 0x31, 0x0a]);
  const error = 'Invalid charset: "Shift_JIS" cannot be written';
  await assertRejects(
    () => runDefinition(ionToCsv, { from: FROM, charset: "Shift_JIS" }, options),
    Error,
    error,
  );
});

Deno.test("IonToCsv names the line of a malformed row", async () => {
  const options = { files: { [FROM]: '{"a":1}\n{"a":\n' } };
  await assertRejects(
    () => runDefinition(ionToCsv, { from: FROM }, options),
    Error,
    "the value of line 2 is malformed",
  );
});
