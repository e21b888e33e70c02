/** `serdes.xml.XmlToIon`. */
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { readTextFile } from "../row_files.ts";
import { xmlElements } from "../xml_elements.ts";
import { CHARSET, fetchSource, FROM, RECORDS, storeRows, URI_OUTPUT } from "./conversion.ts";

/** Most elements and attributes of a row. */
const MAX_ROW_ELEMENTS = 500_000;

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
    const names = String(query ?? "").split("/").filter((name) => name !== "");
    const source = await fetchSource(context);
    const rows = xmlElements(readTextFile(source, String(charset)), {
      what: "the file",
      isSelected: (path) =>
        path.length === names.length && names.every((name, depth) => name === "*" || name === path[depth]),
      form: {
        attribute: String,
        text: "content",
        value: scalarOf,
        lists: new Set(Array.isArray(forced) ? forced.map(String) : []),
      },
      maxElements: MAX_ROW_ELEMENTS,
    });
    return await storeRows(context, source, rows);
  },
});

/** A decimal number; ids such as 007 and exponents are texts. */
const NUMBER = /^[-+]?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)$/;

/** The boolean or number of a text; a number beyond the precision of a double stays a text. */
function scalarOf(text: string): JsonValue {
  const trimmed = text.trim();
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  if (!NUMBER.test(trimmed)) return text;
  const number = Number(trimmed);
  return String(Math.abs(number)) === plainDigits(trimmed) ? number : text;
}

/** `+.50` → `0.5`, as numbers are written. */
function plainDigits(decimal: string): string {
  const digits = decimal.replace(/^[-+]/, "");
  if (!digits.includes(".")) return digits;
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  const shortened = digits.slice(0, digits[end - 1] === "." ? end - 1 : end);
  return shortened === "" ? "0" : shortened.replace(/^\./, "0.");
}
