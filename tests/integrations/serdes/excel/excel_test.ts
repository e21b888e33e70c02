/** Conversion between Excel and Ion. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { strToU8, unzipSync, zipSync } from "fflate";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { excelToIon } from "../../../../src/integrations/serdes/excel/excel_to_ion.ts";
import { ionToExcel } from "../../../../src/integrations/serdes/excel/ion_to_excel.ts";
import { Workbook } from "../../../../src/integrations/serdes/excel/xlsx_reader.ts";
import { withTempDir } from "../../../support/temp_dir.ts";
import { runDefinition } from "../../../support/flows/definition_run.ts";

const FROM = "kestra:///demo/source";
const OTHER = "kestra:///demo/other";

const ROWS =
  '{"a":1,"b":"x < \\"y\\"\\u0001","c":true,"d":null,"e":1.5,"f":{"g":1}}\n{"a":12345678901234567890,"e":2}\n';

async function written(
  properties: JsonObject,
  files: Record<string, string>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { outputs, bytes } = await runDefinition(ionToExcel, properties, { files });
  const file = new Uint8Array(bytes.get(String(outputs.uri)) ?? []);
  assertEquals(outputs.size, file.length);
  return file;
}

async function read(
  file: Uint8Array,
  properties: JsonObject = {},
): Promise<Record<string, string | undefined>> {
  const { outputs, files } = await runDefinition(excelToIon, { from: FROM, ...properties }, {
    files: { [FROM]: file },
  });
  const uris = Object.entries(outputs.uris as JsonObject);
  return Object.fromEntries(uris.map(([title, uri]) => [title, files.get(String(uri))]));
}

Deno.test("what IonToExcel writes, ExcelToIon reads", async () => {
  const file = await written({ from: { One: FROM, "Two & more": OTHER } }, {
    [FROM]: ROWS,
    [OTHER]: "[1,2]\n",
  });
  assertEquals(await read(file, { sheetsTitle: ["One"] }), {
    One: '{"a":1,"b":"x < \\"y\\"\\u0001","c":true,"d":null,"e":1.5,"f":"{\\"g\\":1}"}\n' +
      '{"a":"12345678901234567890","b":null,"c":null,"d":null,"e":2,"f":null}\n',
  });
  assertEquals((await read(file, { header: false }))["Two & more"], "[1,2]\n");
});

Deno.test("a single file is a sheet with the title that is given, with or without a header", async () => {
  const file = await written({ from: FROM, sheetsTitle: "Rows", header: false }, { [FROM]: '{"a":1}\n' });
  assertEquals(await read(file, { header: false }), { Rows: "[1]\n" });
  const names = Object.keys(unzipSync(file));
  assertEquals(names.filter((name) => name.includes("sheets/")), ["xl/worksheets/sheet1.xml"]);
});

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

/** A file as Excel writes it: shared texts, styles, references of cells, formulas. */
const EXCEL = zipSync({
  "xl/workbook.xml": strToU8(
    `<workbook ${MAIN} xmlns:r="r"><workbookPr/><sheets><sheet name="Data" sheetId="1" r:id="rId9"/></sheets></workbook>`,
  ),
  "xl/_rels/workbook.xml.rels": strToU8(
    '<Relationships><Relationship Id="rId9" Target="worksheets/sheet7.xml"/></Relationships>',
  ),
  "xl/sharedStrings.xml": strToU8(
    `<sst ${MAIN}><si><t>name</t></si><si><r><t xml:space="preserve">rich </t></r><r><t>text</t></r></si><si><t>at</t></si></sst>`,
  ),
  "xl/styles.xml": strToU8(
    `<styleSheet ${MAIN}><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/></numFmts>` +
      '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>',
  ),
  "xl/worksheets/sheet7.xml": strToU8(
    `<worksheet ${MAIN}><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="str"><v>sum</v></c></row>` +
      '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="C2" s="1"><v>46023</v></c><c r="D2"><f>1+1</f><v>2</v></c></row>' +
      '<row r="3"><c r="C3" s="2"><v>46023.5</v></c></row><row r="4"/></sheetData></worksheet>',
  ),
});

const READ: readonly (readonly [properties: JsonObject, ion: string])[] = [
  [
    { skipEmptyRows: true },
    '{"name":"rich text","col_1":null,"at":"2026-01-01","sum":2}\n' +
    '{"name":null,"col_1":null,"at":"2026-01-01T12:00:00","sum":null}\n',
  ],
  [
    { dateTimeRender: "SERIAL_NUMBER", valueRender: "FORMULA", skipEmptyRows: true },
    '{"name":"rich text","col_1":null,"at":46023,"sum":"=1+1"}\n{"name":null,"col_1":null,"at":46023.5,"sum":null}\n',
  ],
  [
    { valueRender: "FORMATTED_VALUE", skipRows: 1, header: false, skipEmptyRows: true },
    '["rich text",null,"2026-01-01","2"]\n[null,null,"2026-01-01T12:00:00"]\n',
  ],
];

for (const [properties, expected] of READ) {
  Deno.test(`ExcelToIon reads a file of Excel: ${JSON.stringify(properties)}`, async () => {
    assertEquals(await read(EXCEL, properties), { Data: expected });
  });
}

/** A file with the rows of sheets; `part` is the file of each. */
function workbook(
  sheets: readonly { readonly rows: string; readonly part: string }[],
  texts = "",
  styles = "",
): Uint8Array {
  const rows = Object.fromEntries(sheets.map(({ part, rows }) => [
    `xl/worksheets/${part}.xml`,
    strToU8(`<worksheet><sheetData>${rows}</sheetData></worksheet>`),
  ]));
  const names = sheets.map((_, n) => `<sheet name="S${n}" r:id="r${n}"/>`).join("");
  const relations = sheets.map(({ part }, n) => `<Relationship Id="r${n}" Target="worksheets/${part}.xml"/>`);
  return zipSync({
    "xl/workbook.xml": strToU8(`<workbook><sheets>${names}</sheets></workbook>`),
    "xl/_rels/workbook.xml.rels": strToU8(`<Relationships>${relations.join("")}</Relationships>`),
    "xl/sharedStrings.xml": strToU8(`<sst>${texts}</sst>`),
    "xl/styles.xml": strToU8(`<styleSheet>${styles}</styleSheet>`),
    ...rows,
  }, { level: 1 });
}

Deno.test("a small file with too many texts, too many files or too many bytes is refused", async () => {
  const texts = workbook([{ rows: "<row/>", part: "a" }], "<si/>".repeat(2_000_001));
  assertEquals(texts.length < 100_000, true);
  await assertRejects(() => read(texts), Error, 'it has more than 2000000 elements "si"');
  const files = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [String(n), new Uint8Array()]));
  await assertRejects(() => read(zipSync(files, { level: 0 })), Error, "it has more than 10000 files");
  const large = workbook([{ rows: "<row/>", part: "a" }]);
  setSize(large, 2 ** 31);
  await assertRejects(() => read(large), Error, "it has more than 1073741824 bytes");
});

Deno.test("a small file whose texts have more than 128 Mi characters together is refused", async () => {
  const text = `<si><t>${"x".repeat(27 * 1024 * 1024)}</t></si>`;
  const file = workbook([{ rows: "<row/>", part: "a" }], text.repeat(5));
  assertEquals(file.length < 1_000_000, true);
  await assertRejects(
    () => read(file),
    Error,
    "Cannot read the Excel file: the texts of its cells have more than 134217728 characters",
  );
});

Deno.test("a format is checked once for all styles that use it; a long format is not a date format", async () => {
  const code = `"x"${"y".repeat(252)}`;
  const formats = [[164, code], [165, `${code}y`]].map(([id, each]) =>
    `<numFmt numFmtId="${id}" formatCode='${each}'/>`
  );
  const styles = `<numFmts>${formats.join("")}</numFmts><cellXfs>${'<xf numFmtId="164"/>'.repeat(100)}` +
    '<xf numFmtId="165"/></cellXfs>';
  const rows = '<row><c s="99"><v>46023</v></c><c s="100"><v>46023</v></c></row>';
  const { replace } = String.prototype;
  let calls = 0;
  String.prototype.replace = function (...args: unknown[]) {
    if (String(this) === code) calls++;
    return Reflect.apply(replace, this, args);
  };
  try {
    const file = workbook([{ rows, part: "a" }], "", styles);
    assertEquals(await read(file, { header: false }), { S0: '["2026-01-01",46023]\n' });
  } finally {
    String.prototype.replace = replace;
  }
  assertEquals(calls, 1);
});

/** Changes the unpacked size that the directory of the zip states for its last file. */
function setSize(zip: Uint8Array, bytes: number): void {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  let at = zip.length - 4;
  while (view.getUint32(at, true) !== 0x02014b50) at--;
  view.setUint32(at + 24, bytes, true);
}

Deno.test("rows are found also where comments and attributes look like their tags", async () => {
  const rows = '<!-- <row> --><row a="/>" b=\'"</row>\'><c t="str"><v>1</v><!-- </row> --></c></row >' +
    '<rowx/><row a=">"/><row><c t="str"><v><![CDATA[</row>]]></v></c></row>';
  const file = workbook([{ rows: `${rows}<row><c/></row>`, part: "a" }]);
  assertEquals(await read(file, { header: false }), { S0: '["1"]\n[]\n["</row>"]\n[null]\n' });
  for (const open of ['<row a="', "<row>", "<!--"]) {
    const broken = workbook([{ rows: `<row/>${open}`, part: "a" }]);
    await assertRejects(() => read(broken), Error, "Cannot read the Excel file: line 1: Un");
  }
});

Deno.test("rows are read one by one, not with the whole sheet", async () => {
  const file = workbook([{ rows: '<row r="1"/><row r="2"/><row a="', part: "a" }]);
  await withTempDir(async (folder) => {
    await Deno.writeFile(`${folder}/a.xlsx`, file);
    const render = { dateTimeRender: "UNFORMATTED_VALUE", valueRender: "UNFORMATTED_VALUE" } as const;
    using workbook = await Workbook.open(`${folder}/a.xlsx`, render);
    const [sheet] = workbook.sheets;
    const rows: JsonValue[][] = [];
    await assertRejects(
      async () => {
        for await (const row of sheet?.rows() ?? []) rows.push(row);
      },
      Error,
      "Cannot read the Excel file: line 1: Unclosed root tag",
    );
    assertEquals(rows, [[], []]);
  });
});

Deno.test("a row with more elements than 16,384 cells have, and a part of two sheets, is refused", async () => {
  const wide = workbook([{ rows: `<row>${"<c/>".repeat(200_000)}</row>`, part: "a" }]);
  await assertRejects(
    () => read(wide),
    Error,
    "Cannot read the Excel file: line 1: An element to be read contains more than 200000 elements",
  );
  const twice = workbook([{ rows: "<row/>", part: "a" }, { rows: "<row/>", part: "a" }]);
  await assertRejects(() => read(twice), Error, "several sheets have the same part");
});

Deno.test("what is no Excel file, and what Excel has no place for, is refused", async () => {
  await assertRejects(() => read(strToU8("a,b")), Error, "Cannot read the Excel file: ");
  await assertRejects(() => read(zipSync({ a: strToU8("b") })), Error, "it is no Excel file");
  await assertRejects(() => read(EXCEL, { sheetsTitle: ["x"] }), Error, 'Cannot read the sheet "x"');
  await assertRejects(
    () => written({ from: FROM, sheetsTitle: "a/b" }, { [FROM]: "" }),
    Error,
    "Invalid title",
  );
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 16_385 }, (_, n) => [`c${n}`, n])));
  await assertRejects(() => written({ from: FROM }, { [FROM]: wide }), Error, "more than 16384 columns");
  const long = JSON.stringify({ a: "x".repeat(40_000) });
  const error = await assertRejects(() => written({ from: FROM }, { [FROM]: long }), Error);
  assertMatch(error.message, /more than 32767 characters/);
});
