/** `serdes.json.JsonToToon` and `serdes.json.ToonToJson`: Token-Oriented Object Notation, a short form of JSON for language models. */
import { open } from "node:fs/promises";
import type { JsonStreamEvent } from "@toon-format/toon";
import {
  type JsonObject,
  type JsonValue,
  parseJson,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";
import { systemClock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import type { MetricDeclaration } from "../../model/flows/type_declaration.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { readTextFile, writePieces } from "../row_files.ts";
import { CHARSET, fetchSource, FROM, URI_OUTPUT } from "./conversion.ts";
import { encodedTexts } from "./encoded_texts.ts";

/** Digits of an integer beyond 2^53. */
const LARGE = /\d{16}/;
/** A document is held in memory: its notation depends on all elements of a list. */
const MAX_BYTES = 4 * 1024 * 1024;
const TURN_MS = 10;
/** Events that are taken before the clock is read. */
const EVENTS_AT_ONCE = 100;

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
    const document = await parsed(() => JSON.parse(text, isLarge ? revive : undefined), "JSON");
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
    const { decodeStreamSync } = await import("@toon-format/toon");
    const document = await parsed(() => builtInTurns(decodeStreamSync(text.split("\n"))), "TOON");
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
async function parsed(read: () => JsonValue | Promise<JsonValue>, format: string): Promise<JsonValue> {
  try {
    return await read();
  } catch (error) {
    throw new Error(`Cannot read the file: it is no ${format}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** The document of the events, as `decode` of the package builds it in one turn. */
async function builtInTurns(events: Iterable<JsonStreamEvent>): Promise<JsonValue> {
  const turns = new Turns(systemClock, TURN_MS);
  const open: { readonly value: JsonValue[] | JsonObject; key: string }[] = [];
  let root: JsonValue = null, count = 0;
  const add = (value: JsonValue) => {
    const parent = open.at(-1);
    if (!parent) root = value;
    else if (Array.isArray(parent.value)) parent.value.push(value);
    else setOwnProperty(parent.value, parent.key, value);
  };
  for (const event of events) {
    if (event.type === "startObject" || event.type === "startArray") {
      const value = event.type === "startObject" ? {} : [];
      add(value);
      open.push({ value, key: "" });
    } else if (event.type === "key") {
      const parent = open.at(-1);
      if (parent) parent.key = event.key;
    } else if (event.type === "primitive") {
      add(typeof event.value === "number" ? parseJson(JSON.stringify(event.value)) : event.value);
    } else open.pop();
    if (++count % EVENTS_AT_ONCE === 0) await turns.next();
  }
  return root;
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
