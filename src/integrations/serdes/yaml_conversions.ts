/** `serdes.yaml.…`: YAML from and to Ion and JSON. */
import { type JsonValue, stringifyJson } from "../../base/json.ts";
import { systemClock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { parseYaml, yamlText } from "../../languages/yaml/mod.ts";
import { dynamicFlag } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { linesOf, readTextFile, rowLines } from "../row_files.ts";
import {
  CHARSET,
  convertRows,
  DATE_PROPERTIES,
  fetchSource,
  FROM,
  RECORDS,
  storePieces,
  storeRows,
  URI_OUTPUT,
} from "./conversion.ts";
import { encodedTexts } from "./encoded_texts.ts";
import { jsonValues } from "./json/json_values.ts";

/** Longest document in characters: one document is held in memory. */
const MAX_DOCUMENT_CHARS = 16 * 1024 * 1024;
const TURN_MS = 10;
const DOCUMENT_START = /^---(?:\s|$)/;
const DOCUMENT_END = /^\.\.\.(?:\s|$)/;

/** Each document is a row; a document that is a list gives a row for each element. */
export const yamlToIon = defineTask({
  type: "serdes.yaml.YamlToIon",
  title: "Convert YAML to Ion",
  description:
    "Reads a file of YAML and writes its documents as rows of Ion. The elements of a list are rows.",
  properties: { from: FROM, charset: CHARSET },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const source = await fetchSource(context);
    return await storeRows(context, source, yamlRows(source, String(context.properties.charset)));
  },
});

/** Each row is a document. */
export const ionToYaml = defineTask({
  type: "serdes.yaml.IonToYaml",
  title: "Convert Ion to YAML",
  description: "Writes each row of an Ion file as a document of YAML.",
  properties: { from: FROM, charset: CHARSET, ...DATE_PROPERTIES },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const charset = String(context.properties.charset);
    return await convertRows(context, "rows.yaml", (rows) => encodedTexts(documents(rows), charset));
  },
});

const JSONL = dynamicFlag(false, "Whether the JSON has a value on each line.");

/** A list of JSON is one document. */
export const jsonToYaml = defineTask({
  type: "serdes.yaml.JsonToYaml",
  title: "Convert JSON to YAML",
  description: "Writes a file of JSON as YAML; with `jsonl` each line is a document.",
  properties: { from: FROM, jsonl: JSONL, charset: CHARSET },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const charset = String(context.properties.charset);
    const source = await fetchSource(context);
    return await storePieces(context, {
      source,
      rows: jsonValues(readTextFile(source, charset), { isList: false }),
      name: "rows.yaml",
      convert: (rows) => encodedTexts(documents(rows), charset),
    });
  },
});

/** One document is one value; several are a list. */
export const yamlToJson = defineTask({
  type: "serdes.yaml.YamlToJson",
  title: "Convert YAML to JSON",
  description: "Writes a file of YAML as JSON; with `jsonl` each document, or element of a list, is a line.",
  properties: { from: FROM, jsonl: JSONL, charset: CHARSET },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const { charset, jsonl } = context.properties;
    const source = await fetchSource(context);
    const isLines = jsonl === true;
    return await storePieces(context, {
      source,
      rows: isLines ? yamlRows(source, String(charset)) : yamlValues(source, String(charset)),
      name: isLines ? "rows.jsonl" : "rows.json",
      convert: (rows) => encodedTexts(isLines ? rowLines(rows) : wholeJson(rows), String(charset)),
    });
  },
});

async function* yamlRows(path: string, charset: string): AsyncGenerator<JsonValue> {
  for await (const value of yamlValues(path, charset)) {
    if (Array.isArray(value)) yield* value;
    else yield value;
  }
}

async function* yamlValues(path: string, charset: string): AsyncGenerator<JsonValue> {
  const turns = new Turns(systemClock, TURN_MS);
  let document = "";
  for await (const line of linesOf(readTextFile(path, charset))) {
    const isStart = DOCUMENT_START.test(line);
    if ((isStart || DOCUMENT_END.test(line)) && hasContent(document)) {
      yield parseYaml(document);
      document = "";
      await turns.next();
    }
    if (DOCUMENT_END.test(line)) document = "";
    else document += `${line}\n`;
    if (document.length > MAX_DOCUMENT_CHARS) {
      throw new Error(`Cannot read the file: a document has more than ${MAX_DOCUMENT_CHARS} characters`);
    }
  }
  if (hasContent(document)) yield parseYaml(document);
}

/** Whether there is more than comments, directives and the start of a document. */
function hasContent(document: string): boolean {
  return /^(?!---\s*(?:#.*)?$)[ \t]*[^\s#%]/m.test(document);
}

async function* documents(rows: AsyncIterable<JsonValue>): AsyncGenerator<string> {
  let separator = "";
  for await (const row of rows) {
    yield separator + yamlText(row).replace(/^---\n/, "");
    separator = "---\n";
  }
}

async function* wholeJson(values: AsyncIterable<JsonValue>): AsyncGenerator<string> {
  const all = await Array.fromAsync(values);
  yield stringifyJson(all.length === 1 ? all[0] : all);
}
