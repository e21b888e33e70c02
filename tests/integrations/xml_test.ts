/** XML of responses, and elements of documents that are read one by one. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonValue } from "../../src/base/json.ts";
import { elementsAt, readErrorXml, readXml } from "../../src/integrations/xml.ts";
import { xmlElements, type XmlForm } from "../../src/integrations/xml_elements.ts";

Deno.test("readXml() reads 1,000 entries with names of 1,024 characters", async () => {
  const entries = `<Contents><Key>${"k".repeat(1_024)}</Key><Size>1</Size></Contents>`.repeat(1_000);
  const page = await readXml(`<ListBucketResult>${entries}</ListBucketResult>`);
  assertEquals(elementsAt(page, "ListBucketResult", "Contents").length, 1_000);
});

Deno.test("readXml() refuses what takes too much memory", async () => {
  await assertRejects(
    () => readXml(`<a>${"<b/>".repeat(200_000)}</a>`),
    Error,
    "Cannot read the XML: line 1: An element to be read contains more than 200000 elements and attributes",
  );
  await assertRejects(
    () => readXml(`<a>${"b".repeat(4_194_304)}</a>`),
    Error,
    "Cannot read the XML: it has 4194311 characters, and at most 4194304 are read",
  );
});

Deno.test("readXml() refuses malformed XML; readErrorXml() gives an empty object for it", async () => {
  await assertRejects(
    () => readXml("<a>\n<b></a>"),
    Error,
    "Cannot read the XML: line 2: Unexpected close tag",
  );
  assertEquals(await readErrorXml("<a><b></a>"), {});
  assertEquals(await readErrorXml("\ufeff<a><b/></a>"), { a: { b: "" } });
});

const FORM: XmlForm = { attribute: (name) => `@${name}`, text: "#", lists: new Set(["l"]) };

function elements(xml: string | string[], form: XmlForm = FORM): Promise<JsonValue[]> {
  return Array.fromAsync(xmlElements([xml].flat(), {
    what: "the XML",
    isSelected: (path) => path.join("/") === "a/b",
    form,
    maxElements: 4,
  }));
}

const LONG = "x".repeat(5_000);
const ELEMENTS: readonly (readonly [what: string, xml: string, values: JsonValue[]])[] = [
  ["an element of text", "<a><b> x </b></a>", ["x"]],
  ["an empty element", "<a><b/><b></b></a>", ["", ""]],
  ["attributes, elements and text", "<a><b c='1'>x<d>y</d> z</b></a>", [{ d: "y", "#": "xz", "@c": "1" }]],
  ["repeated elements", "<a><b><c>1</c><d/><c>2</c></b></a>", [{ c: ["1", "2"], d: "" }]],
  ["an element that is always a list", "<a><b><l>1</l></b></a>", [{ l: ["1"] }]],
  ["sections that are not parsed", "<a><b><![CDATA[ <b> ]]></b></a>", [" <b> "]],
  ["entities", "<a><b>&lt;&#65;&#x42;&amp;&nbsp;.</b></a>", ["<AB&\u00a0."]],
  ["elements after declarations that XML has not", `<!${"A".repeat(256)}><!B><a><b>1</b></a>`, ["1"]],
  ["elements after a long comment and a long type", `<!--${LONG}--><!DOCTYPE a [${LONG}]><a><b/></a>`, [""]],
  ["only elements at the path", "<a><c><b>1</b></c><b>2</b><x><a><b>3</b></a></x></a>", ["2"]],
  ["elements beside comments", "<a><!-- <b>1</b> --><b>2<!-- x -->3</b></a><!-- end -->", ["23"]],
  ["elements after a declaration", '<?xml version="1.0"?>\n<!DOCTYPE a [<!ELEMENT b ANY>]><a><b/></a>', [""]],
  ["names of prototypes", "<a><b><__proto__>1</__proto__></b></a>", [JSON.parse('{"__proto__":"1"}')]],
];

for (const [what, xml, values] of ELEMENTS) {
  Deno.test(`elements of XML: ${what}, whole or in pieces`, async () => {
    assertEquals(await elements(xml), values);
    assertEquals(await elements([...xml]), values);
  });
}

Deno.test("elements of XML: white space can be kept", async () => {
  assertEquals(await elements("<a><b> x </b></a>", { text: "#", keepsSpace: true }), [" x "]);
});

function attributes(count: number): string {
  return Array.from({ length: count }, (_, index) => `x${index}=""`).join(" ");
}

const MALFORMED: readonly (readonly [xml: string, reason: string])[] = [
  ["", "line 1: It has no element"],
  ["x", "line 1: Non-whitespace before first tag."],
  ["<a>\n<b></a>", "line 2: Unexpected close tag"],
  ["<a/><a/>", "line 1: A second root element"],
  ["<a><b c></b></a>", "line 1: Attribute without value"],
  ["<a><b>&x;</b></a>", "line 1: Invalid character entity"],
  ["<a><b>&constructor;</b></a>", "line 1: Invalid character entity"],
  ["<a><b/>", "line 1: Unclosed root tag"],
  [`<!${"A".repeat(257)}`, "line 1: A declaration has more than 256 characters"],
  [`<!A"${">".repeat(257)}`, "line 1: A declaration has more than 256 characters"],
  [`<a ${attributes(10_001)}/>`, "line 1: An element has more than 10000 attributes"],
  ["<a>".repeat(201), "line 1: Elements are nested more than 200 deep"],
  [
    '<a><b c="" d="" e="" f=""/></a>',
    "line 1: An element to be read contains more than 4 elements and attributes",
  ],
];

for (const [xml, reason] of MALFORMED) {
  Deno.test(`elements of XML: ${JSON.stringify(xml.slice(0, 30))} is refused: ${reason}`, async () => {
    await assertRejects(() => elements(xml), Error, `Cannot read the XML: ${reason}`);
  });
}

Deno.test("elements of XML: those before a defect are given before its error", async () => {
  const given: JsonValue[] = [];
  await assertRejects(async () => {
    const selection = { what: "the XML", isSelected: isB, form: FORM, maxElements: 4 };
    for await (const element of xmlElements(["<a><b/></c>"], selection)) {
      given.push(element);
    }
  });
  assertEquals(given, [""]);
});

function isB(path: readonly string[]): boolean {
  return path.at(-1) === "b";
}
