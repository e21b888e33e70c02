/** `serdes.xml.XmlToIon`. */
import { isJsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { readTextFile } from "../row_files.ts";
import { checkElements } from "../xml.ts";
import { CHARSET, fetchSource, FROM, RECORDS, storeRows, URI_OUTPUT } from "./conversion.ts";

/** Largest document in characters: it is held in memory. */
const MAX_DOCUMENT_CHARS = 128 * 1024 * 1024;

/** Elements and attributes become members, repeated elements lists; a text beside attributes is the member `content`. */
export const xmlToIon = defineTask({
  type: "serdes.xml.XmlToIon",
  aliases: ["serdes.xml.XmlReader"],
  title: "Convert XML to Ion",
  description:
    "Reads a file of XML and writes what `query` selects as rows of Ion: each element of a list, or the only element.",
  properties: {
    from: FROM,
    query: dynamicText("Path of the elements that become rows, such as `/catalog/book`.", {
      pattern: "(\\/([^\\/\\[\\]@()]+))*\\/?",
    }),
    charset: CHARSET,
    parserConfiguration: dynamicProperty("object", "Options of the reader.", {
      properties: {
        forceList: dynamicProperty("list", "Names of elements that are lists even if they occur once.", {
          items: { type: "string", description: "Name of an element." },
        }),
      },
    }),
  },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  examples: [{
    title: "Read the books of a catalog",
    yaml: `id: books
type: io.svc.plugin.serdes.xml.XmlToIon
from: "{{ outputs.download.uri }}"
query: /catalog/book`,
  }],
  async run(context) {
    const { charset, query, parserConfiguration } = context.properties;
    const forced = isJsonObject(parserConfiguration) ? parserConfiguration.forceList : undefined;
    const path = await fetchSource(context);
    const document = await parseXml(await wholeText(path, String(charset)), new Set(textsOf(forced)));
    return await storeRows(context, selected(document, String(query ?? "")));
  },
});

function textsOf(list: JsonValue | undefined): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

async function wholeText(path: string, charset: string): Promise<string> {
  let whole = "";
  for await (const text of readTextFile(path, charset)) {
    whole += text;
    if (whole.length > MAX_DOCUMENT_CHARS) {
      throw new Error(`Cannot read the file: it has more than ${MAX_DOCUMENT_CHARS} characters`);
    }
  }
  return whole;
}

async function parseXml(text: string, lists: ReadonlySet<string>): Promise<JsonValue> {
  await checkElements(text);
  const { XMLParser, XMLValidator } = await import("fast-xml-parser");
  const verdict = XMLValidator.validate(text);
  if (verdict !== true) {
    throw new Error(`Cannot read the file: line ${verdict.err.line}: ${verdict.err.msg}`);
  }
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    textNodeName: "content",
    ignoreDeclaration: true,
    ignorePiTags: true,
    parseAttributeValue: true,
    // Ids such as 007 and numbers beyond the precision of a double stay texts.
    numberParseOptions: { hex: false, leadingZeros: false, eNotation: false, skipLike: /^[-+]?\d{16,}/ },
    isArray: (name) => lists.has(name),
  });
  return parser.parse(text);
}

/** The elements at a path of names; `*` is any name. */
async function* selected(document: JsonValue, query: string): AsyncGenerator<JsonValue> {
  let found: JsonValue[] = [document];
  for (const name of query.split("/").filter((part) => part !== "")) {
    found = found.filter(isJsonObject).flatMap((element) => {
      if (name === "*") return Object.values(element).flat();
      const value = ownProperty(element, name);
      return value === undefined ? [] : Array.isArray(value) ? value : [value];
    });
  }
  yield* found;
}
