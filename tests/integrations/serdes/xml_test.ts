/** Conversion between XML and Ion. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { ionToXml } from "../../../src/integrations/serdes/ion_to_xml.ts";
import { xmlToIon } from "../../../src/integrations/serdes/xml_to_ion.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const FROM = "kestra:///demo/source";
const CATALOG =
  `<?xml version="1.0"?><!-- c --><catalog><book id="1"><title>A &amp; B</title><price>1.5</price></book><book id="007"><title>C</title></book></catalog>`;

const READ: readonly (readonly [xml: string, properties: JsonObject, ion: string])[] = [
  [
    CATALOG,
    { query: "/catalog/book" },
    '{"title":"A & B","price":1.5,"id":1}\n{"title":"C","id":"007"}\n',
  ],
  [CATALOG, { query: "/*/book/title" }, '"A & B"\n"C"\n'],
  ["<a><b>x</b></a>", {}, '{"a":{"b":"x"}}\n'],
  ["<a><b>x</b></a>", { parserConfiguration: { forceList: ["b"] } }, '{"a":{"b":["x"]}}\n'],
  ['<a><b c="1">x</b></a>', { query: "/a/b" }, '{"content":"x","c":1}\n'],
  ["<a/>", { query: "/b" }, ""],
  [
    "<a><b>+1.50</b><b>-0.5</b><b>.5</b><b>0</b><b>1e5</b><b>0x1</b><b>00</b><b>1.</b><b>true</b><b> false </b></a>",
    { query: "/a/b" },
    '1.5\n-0.5\n0.5\n0\n"1e5"\n"0x1"\n"00"\n"1."\ntrue\nfalse\n',
  ],
  [
    "<a><b>123456789012345678</b><b>0.1234567890123456</b><b>0.12345678901234567890</b></a>",
    { query: "/a/b" },
    '"123456789012345678"\n0.1234567890123456\n"0.12345678901234567890"\n',
  ],
  ['<a><b c="1"><c>2</c></b></a>', { query: "/a/b" }, '{"c":[2,1]}\n'],
];

for (const [xml, properties, expected] of READ) {
  Deno.test(`XmlToIon reads ${xml.slice(0, 40)} ${JSON.stringify(properties)}`, async () => {
    const { files } = await runDefinition(xmlToIon, { from: FROM, ...properties }, {
      files: { [FROM]: xml },
    });
    assertEquals([...files.values()], [expected]);
  });
}

Deno.test("XmlToIon names the line of malformed XML, and expands no entities of the document", async () => {
  const run = (xml: string) => runDefinition(xmlToIon, { from: FROM }, { files: { [FROM]: xml } });
  await assertRejects(() => run("<a>\n<b></a>"), Error, "Cannot read the file: line 2");
  const secret = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';
  const [outcome] = await Promise.allSettled([run(secret)]);
  const text = outcome.status === "fulfilled"
    ? [...outcome.value.files.values()].join()
    : String(outcome.reason);
  assertEquals(text.includes("root:"), false);
});

Deno.test("XmlToIon refuses a row with too many elements or attributes, not a document", async () => {
  const rows = `<a>${"<b/>".repeat(500_000)}</a>`;
  const run = (query: string) => runDefinition(xmlToIon, { from: FROM, query }, { files: { [FROM]: rows } });
  const message = "Cannot read the file: line 1: An element to be read contains more than 500000 elements";
  await assertRejects(() => run("/a"), Error, message);
  const { files } = await run("/a/b");
  assertEquals([...files.values()].join("").length, 500_000 * '""\n'.length);
});

Deno.test("IonToXml writes an element for each row", async () => {
  const ion = '{"a":1,"b c":"x < y","d":[1,2],"e":null,"1":true}\n{"a":{"b":2.5}}\n';
  const { files } = await runDefinition(ionToXml, { from: FROM, rootName: "rows" }, {
    files: { [FROM]: ion },
  });
  assertEquals([...files.values()], [
    '<?xml version="1.0" encoding="UTF-8"?>\n<rows>' +
    "<item><_1>true</_1><a>1</a><b_c>x &lt; y</b_c><d>1</d><d>2</d><e/></item><item><a><b>2.5</b></a></item></rows>\n",
  ]);
});

const ROWS: readonly (readonly [ion: string, elements: string])[] = [
  ["[]", "<item/>"],
  ["{}", "<item/>"],
  ["[1,[2,[3]],{}]", "<item>1</item><item><item>2</item><item><item>3</item></item></item><item/>"],
  ['{"a b":1,"a_b":2}', "<item><a_b>1</a_b><a_b>2</a_b></item>"],
  ['"\\u0001\\ufffe\\ud800"', "<item>\ufffd\ufffd\ufffd</item>"],
];

for (const [ion, elements] of ROWS) {
  Deno.test(`IonToXml writes the row ${ion}`, async () => {
    const { files } = await runDefinition(ionToXml, { from: FROM }, { files: { [FROM]: `${ion}\n` } });
    const [xml] = files.values();
    assertEquals(xml, `<?xml version="1.0" encoding="UTF-8"?>\n<items>${elements}</items>\n`);
  });
}

Deno.test("IonToXml writes a row with elements that are nested deeply, and with many of a long name", async () => {
  const name = "x".repeat(1_000), depth = 5_000, count = 1_000;
  const nested = `${"[".repeat(depth)}1${"]".repeat(depth)}`;
  const ion = `${nested}\n{"${name}":${JSON.stringify(new Array(count).fill(1))}}\n`;
  const { files } = await runDefinition(ionToXml, { from: FROM }, { files: { [FROM]: ion } });
  const elements = "<item>".repeat(depth) + 1 + "</item>".repeat(depth) +
    `<item>${`<${name}>1</${name}>`.repeat(count)}</item>`;
  assertEquals(
    [...files.values()].join(""),
    `<?xml version="1.0" encoding="UTF-8"?>\n<items>${elements}</items>\n`,
  );
});

Deno.test("IonToXml refuses a name with more than 1,000 characters, which each value of a list repeats", async () => {
  const files = { [FROM]: JSON.stringify({ ["x".repeat(1_001)]: [1, 1] }) };
  await assertRejects(
    () => runDefinition(ionToXml, { from: FROM }, { files }),
    Error,
    `Cannot write the rows: the name "${"x".repeat(50)}…" has 1001 characters, and at most 1000 are possible`,
  );
});
