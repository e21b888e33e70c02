/** `serdes.xml.IonToXml`. */
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
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
  const { XMLBuilder } = await import("fast-xml-parser");
  const builder = new XMLBuilder({ ignoreAttributes: true, suppressEmptyNode: true });
  yield `<?xml version="1.0" encoding="${charset}"?>\n<${root}>`;
  for await (const row of rows) yield builder.build({ item: withElementNames(row) });
  yield `</${root}>\n`;
}

/** Texts in place of numbers, null as an empty element, and names that XML allows. */
function withElementNames(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(withElementNames);
  if (!isJsonObject(value)) return value === null ? "" : String(value);
  const members = Object.entries(value).map((
    [name, member],
  ) => [elementName(name), withElementNames(member)]);
  return Object.fromEntries(members);
}

function elementName(name: string): string {
  const allowed = name.replace(/[^\p{L}\p{N}_.-]/gu, "_");
  return /^[\p{L}_]/u.test(allowed) ? allowed : `_${allowed}`;
}
