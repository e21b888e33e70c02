/** `ai.rag.IngestDocument`. */
import { type JsonObject, type JsonValue, objectsOf } from "../../../base/json.ts";
import { systemClock } from "../../../base/time/clock.ts";
import { Turns } from "../../../base/time/turn.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineServerTask, type ServerTaskContext } from "../../../model/tasks/server_task.ts";
import { callRepeatedly, refusalOf } from "../../http_calls.ts";
import { readWhole } from "../../whole_file.ts";
import { addUsage, MAX_EMBEDDED_TEXTS, type TokenUsage } from "../models/chat.ts";
import { given, objectOf } from "../models/model_calls.ts";
import { AGENT_METRICS, reportUsage, usageForm } from "../agent/outputs.ts";
import { partProperty } from "../part.ts";
import { modelOf } from "../providers.ts";
import type { EmbeddedText, EmbeddingStore } from "./embedded_text.ts";
import { split, type SplitOptions, SPLITTERS } from "./splitter.ts";
import { openStore } from "./stores.ts";

/** A document is in memory; a store holds some 60 MB with the vectors. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const TURN_MS = 10;

const SPLITTER: PropertySchemas = {
  splitter: dynamicText("Where a document is split; what is longer is split further.", {
    values: SPLITTERS,
    default: "RECURSIVE",
  }),
  maxSegmentSizeInChars: dynamicProperty("integer", "Most characters of a segment.", {
    required: true,
    minimum: 1,
  }),
  maxOverlapSizeInChars: dynamicProperty(
    "integer",
    "Most characters that a segment repeats of the one before.",
    {
      required: true,
      minimum: 0,
    },
  ),
};

const DOCUMENT: PropertySchemas = {
  content: dynamicText("Text.", { required: true }),
  metadata: dynamicProperty("map", "Facts about the document, which are found with it."),
};

const TEXTS = dynamicText("One of them.");

/** A document whose text is known. */
interface Document {
  readonly text: string;
  readonly metadata: JsonObject;
}

/** Documents are read one after another; of each, its segments are embedded together. */
export const ingestDocument = defineServerTask({
  type: "ai.rag.IngestDocument",
  aliases: ["langchain4j.rag.IngestDocument"],
  title: "Store documents with their embeddings",
  description: "Splits documents into segments, and stores them with their embeddings for searches.",
  properties: {
    provider: partProperty("provider", "Model of the embeddings.", { required: true }),
    embeddings: partProperty("embeddings", "Where they are stored.", { required: true }),
    fromDocuments: dynamicProperty("list", "Documents.", {
      items: dynamicProperty("object", "A document.", { properties: DOCUMENT }),
    }),
    fromInternalURIs: dynamicProperty("list", "Storage URIs of text files.", { items: TEXTS }),
    fromExternalURLs: dynamicProperty("list", "Addresses of text files.", { items: TEXTS }),
    fromPath: dynamicText("Folder of a working directory.", { planned: true }),
    documentSplitter: dynamicProperty("object", "How documents are split; without it each is one segment.", {
      properties: SPLITTER,
    }),
    metadata: dynamicProperty("map", "Facts about all documents."),
    drop: dynamicFlag(false, "Removes what the store has."),
    bulkSize: dynamicProperty("integer", "Documents of a request.", { ignored: true }),
  },
  outputs: {
    ingestedDocuments: { type: "integer", description: "Number of documents." },
    inputTokenCount: {
      type: "integer",
      description: "Tokens of the documents, if the provider counts them.",
    },
    outputTokenCount: { type: "integer", description: "Tokens of replies, if the provider counts them." },
    totalTokenCount: { type: "integer", description: "All tokens, if the provider counts them." },
    embeddingStoreOutputs: { type: "map", description: "Outputs of the store, such as `kvName`." },
  },
  metrics: {
    ...AGENT_METRICS,
    "indexed.documents": { type: "counter", description: "Documents." },
    "ai.embedding.store.calls": { type: "counter", description: "Uses of a store, by `store`." },
  },
  examples: [{
    title: "Store a page of a repository",
    yaml: `id: ingest
type: io.svc.plugin.ai.rag.IngestDocument
provider:
  type: io.svc.plugin.ai.provider.GoogleGemini
  apiKey: "{{ secret('GEMINI_API_KEY') }}"
  modelName: gemini-embedding-001
embeddings:
  type: io.svc.plugin.ai.embeddings.KestraKVStore
drop: true
fromExternalURLs:
  - https://example.com/manual.md
documentSplitter:
  splitter: RECURSIVE
  maxSegmentSizeInChars: 1000
  maxOverlapSizeInChars: 100`,
  }],
  run: ingest,
});

async function ingest(context: ServerTaskContext): Promise<JsonObject> {
  const { provider, embeddings, drop, documentSplitter, metadata } = context.properties;
  const part = embeddings as JsonObject, splitting = splitOptions(documentSplitter);
  await using store = await openStore(context, part, { isDropped: drop === true });
  context.metric("ai.provider.calls", 1, { tags: { provider: String((provider as JsonObject).type) } });
  context.metric("ai.embedding.store.calls", 1, { tags: { store: String(part.type) } });
  let count = 0;
  let usage: TokenUsage | undefined;
  for await (const document of documentsOf(context)) {
    const texts = splitting ? await segmentsOf(document.text, splitting) : [document.text];
    const all = { ...objectOf(metadata), ...document.metadata };
    usage = addUsage(usage, await addSegments(context, store, { texts, metadata: all, number: ++count }));
  }
  context.metric("indexed.documents", count);
  reportUsage(context, usage);
  return given({ ingestedDocuments: count, ...usageForm(usage), embeddingStoreOutputs: await store.save() });
}

/** Some million segments take seconds. */
async function segmentsOf(text: string, options: SplitOptions): Promise<string[]> {
  const turns = new Turns(systemClock, TURN_MS);
  const segments: string[] = [];
  for (const segment of split(text, options)) {
    segments.push(segment);
    await turns.next();
  }
  return segments;
}

function splitOptions(value: JsonValue | undefined): SplitOptions | undefined {
  if (value === undefined) return undefined;
  const { splitter, maxSegmentSizeInChars, maxOverlapSizeInChars } = value as JsonObject;
  const maxChars = Number(maxSegmentSizeInChars), overlapChars = Number(maxOverlapSizeInChars);
  if (overlapChars >= maxChars) {
    throw new Error("Invalid documentSplitter: the overlap is not less than the segment");
  }
  return { splitter: splitter as SplitOptions["splitter"], maxChars, overlapChars };
}

interface Segments {
  readonly texts: readonly string[];
  readonly metadata: JsonObject;
  /** Of the document, from 1. */
  readonly number: number;
}

async function addSegments(
  context: ServerTaskContext,
  store: EmbeddingStore,
  { texts, metadata, number }: Segments,
): Promise<TokenUsage | undefined> {
  const model = await modelOf(context, context.properties.provider as JsonObject);
  const { attempt } = context;
  let usage: TokenUsage | undefined;
  for (let from = 0; from < texts.length; from += MAX_EMBEDDED_TEXTS) {
    const group = texts.slice(from, from + MAX_EMBEDDED_TEXTS);
    const embedded = await model.embed(group);
    usage = addUsage(usage, embedded.usage);
    await store.add(group.map((text, index): EmbeddedText => {
      const vector = embedded.vectors[index];
      if (!vector) {
        throw new Error(`Cannot embed the document with ${model.title}: its reply has too few vectors`);
      }
      const id = `${attempt.taskRunId}-${attempt.attemptNumber}-${number}-${from + index}`;
      return { id, text, vector, metadata: { ...metadata, index: String(from + index) } };
    }));
  }
  return usage;
}

async function* documentsOf(context: ServerTaskContext): AsyncGenerator<Document> {
  const { fromDocuments, fromInternalURIs, fromExternalURLs } = context.properties;
  for (const { content, metadata } of objectsOf(fromDocuments)) {
    yield { text: String(content), metadata: objectOf(metadata) };
  }
  for (const uri of listOf(fromInternalURIs)) {
    const bytes = await readWhole(await context.fetchFile(uri), { name: uri, maxBytes: MAX_FILE_BYTES });
    yield { text: new TextDecoder().decode(bytes), metadata: {} };
  }
  for (const url of listOf(fromExternalURLs)) {
    const { status, text } = await callRepeatedly(context, () => ({ url }), { isRepeatable: true });
    if (status !== 200) throw refusalOf({ operation: "read the document", url, status, words: text });
    yield { text, metadata: { url } };
  }
}

function listOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
