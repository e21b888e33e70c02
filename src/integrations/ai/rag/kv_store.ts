/**
 * A store of embeddings in KV pairs of the namespace, for some thousand texts: it is read as a whole. The first pair has the
 * texts, or names further pairs with parts of them, since a pair holds a megabyte. Texts that another server of this language
 * stored are read, too.
 */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  stringifyJson,
  tryParseJson,
} from "../../../base/json.ts";
import { decodeBase64, encodeBase64 } from "../../../languages/values/mod.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { objectOf } from "../models/model_calls.ts";
import {
  type EmbeddedText,
  type EmbeddingStore,
  type FoundText,
  similarity,
  type StoreOptions,
  type StoreQuery,
} from "./embedded_text.ts";

/** Characters of a pair: below the limit of a value, in UTF-8 too. */
const MAX_PART_CHARS = 300_000;
/** Parts of a store: some 100 MB would not be read for each prompt. */
const MAX_PARTS = 200;

/** An open store; a search needs no change. */
export class KvEmbeddingStore implements EmbeddingStore {
  readonly #context: ServerTaskContext;
  readonly #key: string;
  readonly #texts: EmbeddedText[];
  readonly #oldParts: readonly string[];

  private constructor(
    context: ServerTaskContext,
    key: string,
    { texts, parts }: { readonly texts: EmbeddedText[]; readonly parts: readonly string[] },
  ) {
    this.#context = context;
    this.#key = key;
    this.#texts = texts;
    this.#oldParts = parts;
  }

  /** Reads the store. @throws Error it is no store */
  static async open(
    context: ServerTaskContext,
    { kvName }: JsonObject,
    { isDropped }: StoreOptions,
  ): Promise<KvEmbeddingStore> {
    const key = optionalText(kvName) ?? `${context.attempt.flowId}-embedding-store`;
    const head = await read(context, key);
    const parts = Array.isArray(head?.parts) ? head.parts.map(String) : [];
    const texts: EmbeddedText[] = [];
    if (!isDropped && head) {
      texts.push(...objectsOf(head.entries).map(readEntry));
      for (const part of parts) texts.push(...await readPart(context, part));
    }
    return new KvEmbeddingStore(context, key, { texts, parts });
  }

  /** @inheritdoc */
  add(texts: readonly EmbeddedText[]): Promise<void> {
    for (const text of texts) this.#texts.push(text);
    return Promise.resolve();
  }

  /** @inheritdoc */
  search(query: StoreQuery): Promise<FoundText[]> {
    return Promise.resolve(query).then((given) => this.#nearest(given));
  }

  #nearest({ vector, maxResults, minScore }: StoreQuery): FoundText[] {
    const found = this.#texts.map(({ vector: own, text, metadata }) => {
      if (own.length === vector.length) return { text, metadata, score: similarity(own, vector) };
      throw new Error(
        `Cannot search "${this.#key}": its vectors have ${own.length} numbers, those of the model ${vector.length}; ` +
          "ingest the documents again with the same model",
      );
    });
    const near = found.filter(({ score }) => score >= minScore).sort((a, b) => b.score - a.score);
    return near.slice(0, maxResults);
  }

  /** Stores all texts; returns outputs. The parts have new names, so that a search meanwhile finds the former store. @throws Error too many */
  async save(): Promise<JsonObject> {
    const parts = partsOf(this.#texts.map(storedForm));
    if (parts.length > MAX_PARTS) {
      throw new Error(
        `Cannot store ${this.#texts.length} texts in "${this.#key}": use ai.embeddings.PGVector for so many`,
      );
    }
    const { kvPairs, attempt } = this.#context;
    const [only] = parts;
    if (parts.length <= 1) await kvPairs.set(this.#key, `{"entries":[${only ?? ""}]}`);
    else {
      const names = parts.map((_part, index) =>
        `${this.#key}.${attempt.taskRunId}-${attempt.attemptNumber}.${index}`
      );
      for (const [index, part] of parts.entries()) {
        await kvPairs.set(names[index] ?? "", `{"entries":[${part}]}`);
      }
      await kvPairs.set(this.#key, stringifyJson({ parts: names }));
    }
    for (const name of this.#oldParts) await kvPairs.delete(name);
    return { kvName: this.#key };
  }

  /** Nothing is open. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

async function readPart(context: ServerTaskContext, key: string): Promise<EmbeddedText[]> {
  const part = await read(context, key);
  if (part) return objectsOf(part.entries).map(readEntry);
  throw new Error(`Cannot read the embeddings "${key}": they were replaced meanwhile; retry the task`);
}

async function read({ kvPairs }: ServerTaskContext, key: string): Promise<JsonObject | undefined> {
  const stored = await kvPairs.get(key);
  if (stored === undefined) return undefined;
  const value = typeof stored === "string" ? tryParseJson(stored) : stored;
  if (isJsonObject(value)) return value;
  throw new Error(`Cannot read the embeddings "${key}": the KV pair has something else`);
}

/** A vector of 1,536 numbers has 8 KB as base64, some 20 KB as digits. */
function storedForm({ id, text, metadata, vector }: EmbeddedText): string {
  const numbers = encodeBase64(new Uint8Array(new Float32Array(vector).buffer));
  return stringifyJson({ id, embedding: { base64: numbers }, embedded: { text, metadata: { metadata } } });
}

function readEntry({ id, embedding, embedded }: JsonObject): EmbeddedText {
  const { text, metadata } = objectOf(embedded);
  const inner = objectOf(metadata).metadata;
  return {
    id: String(id),
    text: String(text),
    metadata: objectOf(inner),
    vector: vectorOf(objectOf(embedding)),
  };
}

function vectorOf({ base64, vector }: JsonObject): number[] {
  if (Array.isArray(vector)) return vector.map(Number);
  return [...new Float32Array(decodeBase64(String(base64 satisfies JsonValue | undefined)).buffer)];
}

/** Lists of entries, each below the limit of a pair. */
function partsOf(entries: readonly string[]): string[] {
  const parts: string[] = [];
  let part: string[] = [], size = 0;
  for (const entry of entries) {
    if (size + entry.length > MAX_PART_CHARS && part.length > 0) {
      parts.push(part.join(","));
      [part, size] = [[], 0];
    }
    part.push(entry);
    size += entry.length;
  }
  if (part.length > 0) parts.push(part.join(","));
  return parts;
}
