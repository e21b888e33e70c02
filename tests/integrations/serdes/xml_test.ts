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

Deno.test("XmlToIon refuses a document with too many elements or attributes", async () => {
  const run = (xml: string) => runDefinition(xmlToIon, { from: FROM }, { files: { [FROM]: xml } });
  const message = "Cannot read the XML: it has more than 8000000 elements and attributes";
  await assertRejects(() => run(`<a>${"<b/>".repeat(8_000_000)}</a>`), Error, message);
  await assertRejects(() => run(`<a ${'b="" '.repeat(8_000_000)}/>`), Error, message);
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
