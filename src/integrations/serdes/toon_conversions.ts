/** `serdes.json.JsonToToon` and `serdes.json.ToonToJson`: Token-Oriented Object Notation, a short form of JSON for language models. */
import { open } from "node:fs/promises";
import { type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import type { MetricDeclaration } from "../../model/flows/type_declaration.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { readTextFile, writePieces } from "../row_files.ts";
import { CHARSET, fetchSource, FROM, URI_OUTPUT } from "./conversion.ts";
import { encodedTexts } from "./encoded_texts.ts";

/** Digits of an integer beyond 2^53. */
const LARGE = /\d{16}/;
/** A document is held in memory: its notation depends on all elements of a list. */
const MAX_BYTES = 4 * 1024 * 1024;

const RECORDS: Readonly<Record<string, MetricDeclaration>> = Object.freeze({
  records: { type: "counter", description: "Number of elements, if the document is a list; else 1." },
});

/** Output: `uri`. */
export const jsonToToon = defineTask({
  type: "serdes.json.JsonToToon",
  title: "Convert JSON to TOON",
  description:
    "Converts a document of JSON into TOON (Token-Oriented Object Notation), which takes fewer tokens of language models. It has at most 4 MiB.",
  properties: { from: FROM, charset: CHARSET },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  examples: [{
    title: "Shorten a document for a prompt",
    yaml: `id: toon\ntype: io.svc.plugin.serdes.json.JsonToToon\nfrom: "{{ outputs.query.uri }}"`,
  }],
  async run(context) {
    const text = await sourceText(context);
    const { encodeLines, rawString } = await import("@toon-format/toon");
    // Numbers with more digits than a double keeps are written as they are.
    const revive = (_key: string, value: unknown, context?: { readonly source?: string }) =>
      typeof value === "number" && context?.source !== undefined && LARGE.test(context.source)
        ? rawString(context.source)
        : value;
    const isLarge = LARGE.test(text);
    const document = parsed(() => JSON.parse(text, isLarge ? revive : undefined), "JSON");
    const lines = function* () {
      for (const line of encodeLines(document)) yield `${line}\n`;
    };
    return await store(context, "document.toon", document, lines());
  },
});

/** Output: `uri`. */
export const toonToJson = defineTask({
  type: "serdes.json.ToonToJson",
  title: "Convert TOON to JSON",
  description:
    "Converts a document of TOON (Token-Oriented Object Notation) into JSON. It has at most 4 MiB; the stated lengths of its lists must be right.",
  properties: { from: FROM, charset: CHARSET },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  examples: [{
    title: "Read the reply of a model",
    yaml: `id: json\ntype: io.svc.plugin.serdes.json.ToonToJson\nfrom: "{{ outputs.reply.uri }}"`,
  }],
  async run(context) {
    const text = await sourceText(context);
    const { decode } = await import("@toon-format/toon");
    const document = parsed(() => parseJson(JSON.stringify(decode(text))), "TOON");
    return await store(context, "document.json", document, [stringifyJson(document)]);
  },
});

async function sourceText(context: TaskContext): Promise<string> {
  const path = await fetchSource(context);
  await using file = await open(path);
  const { size } = await file.stat();
  if (size > MAX_BYTES) {
    throw new Error(`Cannot convert the file: it has ${size} bytes, and ${MAX_BYTES} are allowed`);
  }
  return (await Array.fromAsync(readTextFile(path, String(context.properties.charset)))).join("");
}

/** @throws Error with the words of the reader, which name the line */
function parsed(read: () => JsonValue, format: string): JsonValue {
  try {
    return read();
  } catch (error) {
    throw new Error(`Cannot read the file: it is no ${format}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function store(context: TaskContext, name: string, document: JsonValue, texts: Iterable<string>) {
  const path = `${await context.directory()}/${name}`;
  const pieces = async function* () {
    yield* texts;
  };
  await writePieces(path, encodedTexts(pieces(), String(context.properties.charset)), context.signal);
  context.metric("records", Array.isArray(document) ? document.length : 1);
  return { uri: await context.storeFile(path) };
}
