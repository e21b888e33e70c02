/** `serdes.xml.IonToXml`. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { systemClock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { escapeXml } from "../xml.ts";
import { CHARSET, convertRows, DATE_PROPERTIES, FROM, RECORDS, URI_OUTPUT } from "./conversion.ts";
import { encodedTexts } from "./encoded_texts.ts";

/** An element of a row, and of a list within a list. */
const ITEM = "item";
/** A name is written twice for each value of a list. */
const MAX_NAME_CHARS = 1_000;
/** Characters of a name in a message. */
const SHOWN_CHARS = 50;
/** Characters that are written at once. */
const PIECE_CHARS = 64 * 1024;
const TURN_MS = 10;

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
  const turns = new Turns(systemClock, TURN_MS);
  yield `<?xml version="1.0" encoding="${charset}"?>\n<${root}>`;
  for await (const row of rows) {
    let text = "";
    for (const piece of piecesOf(Array.isArray(row) && row.length === 0 ? null : row)) {
      text += piece;
      if (text.length < PIECE_CHARS) continue;
      yield text;
      text = "";
      await turns.next();
    }
    yield text;
  }
  yield `</${root}>\n`;
}

/** An element whose value is not a list. */
type Element = readonly [name: string, value: JsonValue];

/** The elements of a row. Nested elements do not use nested generators: each piece would pass through all of them. */
function* piecesOf(row: JsonValue): Generator<string> {
  const open = [{ elements: elementsOf(ITEM, row), end: "" }];
  for (let outer = open.at(-1); outer; outer = open.at(-1)) {
    const next = outer.elements.next();
    if (next.done) {
      yield outer.end;
      open.pop();
      continue;
    }
    const [name, value] = next.value;
    if (isEmpty(value)) {
      yield `<${name}/>`;
    } else if (Array.isArray(value) || isJsonObject(value)) {
      yield `<${name}>`;
      open.push({ elements: contentOf(value), end: `</${name}>` });
    } else {
      yield `<${name}>${escapeXml(String(value)).replace(FORBIDDEN, "\ufffd")}</${name}>`;
    }
  }
}

/** The elements of a member: one for each value of a list. */
function* elementsOf(name: string, value: JsonValue): Generator<Element> {
  if (!Array.isArray(value)) yield [name, value];
  else for (const each of value) yield [name, each];
}

/** The elements within an element. Those of a list in a list are named `item`. */
function* contentOf(value: JsonValue[] | JsonObject): Generator<Element> {
  if (Array.isArray(value)) yield* elementsOf(ITEM, value);
  else for (const [name, member] of Object.entries(value)) yield* elementsOf(elementName(name), member);
}

/** Whether an element has no content. */
function isEmpty(value: JsonValue): boolean {
  if (!isJsonObject(value)) {
    return value === null || value === "" || Array.isArray(value) && value.length === 0;
  }
  return Object.values(value).every((member) => Array.isArray(member) && member.length === 0);
}

/** Characters that XML does not allow. */
// deno-lint-ignore no-control-regex
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

/** @throws Error it is too long */
function elementName(name: string): string {
  if (name.length > MAX_NAME_CHARS) {
    throw new Error(
      `Cannot write the rows: the name "${
        name.slice(0, SHOWN_CHARS)
      }…" has ${name.length} characters, and at most ${MAX_NAME_CHARS} are possible in XML; give the member a shorter one`,
    );
  }
  const allowed = name.replace(/[^\p{L}\p{N}_.-]/gu, "_");
  return /^[\p{L}_]/u.test(allowed) ? allowed : `_${allowed}`;
}
