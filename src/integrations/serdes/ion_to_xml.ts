/** `serdes.xml.IonToXml`. */
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { escapeXml } from "../xml.ts";
import { CHARSET, convertRows, DATE_PROPERTIES, FROM, RECORDS, URI_OUTPUT } from "./conversion.ts";
import { encodedTexts } from "./encoded_texts.ts";

/** Rows are written one by one, each as an element `item`. */
export const ionToXml = defineTask({
  type: "serdes.xml.IonToXml",
  aliases: ["serdes.xml.XmlWriter"],
  title: "Convert Ion to XML",
  description: "Writes the rows of an Ion file as XML, each as an element `item` of the root.",
  properties: {
    from: FROM,
    rootName: dynamicText("Name of the root element.", { default: "items", pattern: "[A-Za-z_][\\w.-]*" }),
    charset: CHARSET,
    ...DATE_PROPERTIES,
  },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const { rootName, charset } = context.properties;
    return await convertRows(
      context,
      "rows.xml",
      (rows) =>
        encodedTexts(xmlTexts(rows, { root: String(rootName), charset: String(charset) }), String(charset)),
    );
  },
});

interface XmlOptions {
  readonly root: string;
  readonly charset: string;
}

async function* xmlTexts(
  rows: AsyncIterable<JsonValue>,
  { root, charset }: XmlOptions,
): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="${charset}"?>\n<${root}>`;
  for await (const row of rows) yield elementsOf("item", row) || "<item/>";
  yield `</${root}>\n`;
}

/** The elements of a member: one for each value of a list, of which lists are elements `item`. */
function elementsOf(name: string, value: JsonValue): string {
  if (Array.isArray(value)) return value.map((each) => elementOf(name, each)).join("");
  return elementOf(name, value);
}

function elementOf(name: string, value: JsonValue): string {
  const content = contentOf(value);
  return content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`;
}

function contentOf(value: JsonValue): string {
  if (Array.isArray(value)) return elementsOf("item", value);
  if (!isJsonObject(value)) {
    return value === null ? "" : escapeXml(String(value)).replace(FORBIDDEN, "\ufffd");
  }
  return Object.entries(value).map(([name, member]) => elementsOf(elementName(name), member)).join("");
}

/** Characters that no XML document has. */
// deno-lint-ignore no-control-regex
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

function elementName(name: string): string {
  const allowed = name.replace(/[^\p{L}\p{N}_.-]/gu, "_");
  return /^[\p{L}_]/u.test(allowed) ? allowed : `_${allowed}`;
}
