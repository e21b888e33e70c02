/**
 * A store of embeddings in KV pairs of the namespace, for some thousand texts: it is read as a whole. The first pair has
 * texts, and names further pairs with parts of them, since a pair holds a megabyte. Texts that another server of this language
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

/** Tries to write the first pair, one for each change by another task meanwhile. */
const MAX_TRIES = 200;

/** An open store. Its texts are read by a search alone, so that tasks add texts at the same time. */
export class KvEmbeddingStore implements EmbeddingStore {
  readonly #context: ServerTaskContext;
  readonly #key: string;
  readonly #isDropped: boolean;
  readonly #added: EmbeddedText[] = [];

  private constructor(context: ServerTaskContext, key: string, { isDropped }: StoreOptions) {
    this.#context = context;
    this.#key = key;
    this.#isDropped = isDropped;
  }

  /** Checks the first pair. @throws Error it is no store */
  static async open(
    context: ServerTaskContext,
    { kvName }: JsonObject,
    options: StoreOptions,
  ): Promise<KvEmbeddingStore> {
    const key = optionalText(kvName) ?? `${context.attempt.flowId}-embedding-store`;
    await read(context, key);
    return new KvEmbeddingStore(context, key, options);
  }

  /** @inheritdoc */
  add(texts: readonly EmbeddedText[]): Promise<void> {
    for (const text of texts) this.#added.push(text);
    return Promise.resolve();
  }

  /** @inheritdoc */
  async search({ vector, maxResults, minScore }: StoreQuery): Promise<FoundText[]> {
    const found = (await this.#texts()).map(({ vector: own, text, metadata }) => {
      if (own.length === vector.length) return { text, metadata, score: similarity(own, vector) };
      throw new Error(
        `Cannot search "${this.#key}": its vectors have ${own.length} numbers, those of the model ${vector.length}; ` +
          "ingest the documents again with the same model",
      );
    });
    const near = found.filter(({ score }) => score >= minScore).sort((a, b) => b.score - a.score);
    return near.slice(0, maxResults);
  }

  async #texts(): Promise<EmbeddedText[]> {
    const head = await read(this.#context, this.#key);
    const texts = objectsOf(head?.entries).map(readEntry);
    for (const part of partsIn(head)) texts.push(...await readPart(this.#context, part));
    return texts;
  }

  /** Adds the texts to those that are stored then; returns outputs. @throws Error too many */
  async save(): Promise<JsonObject> {
    const added = this.#added.map(storedForm);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await this.#write(added)) return { kvName: this.#key };
    }
    throw new Error(`Cannot store texts in "${this.#key}": other tasks changed it each time; retry the task`);
  }

  /** False if another task changed the first pair meanwhile. Parts have new names: a search finds the former store until its end. */
  async #write(added: readonly string[]): Promise<boolean> {
    const { kvPairs, signal } = this.#context;
    const head = await read(this.#context, this.#key), former = partsIn(head);
    const entries = this.#isDropped ? [] : objectsOf(head?.entries).map((entry) => stringifyJson(entry));
    const pieces = partsOf([...entries, ...added]);
    const inline = (pieces.at(-1)?.length ?? Infinity) <= MAX_PART_CHARS ? pieces.pop() : undefined;
    const id = crypto.getRandomValues(new Uint8Array(8)).toHex();
    const names = pieces.map((_piece, index) => `${this.#key}.${id}.${index}`);
    const parts = [...this.#isDropped ? [] : former, ...names];
    if (parts.length > MAX_PARTS) {
      throw new Error(
        `Cannot store further texts in "${this.#key}": use ai.embeddings.PGVector for so many`,
      );
    }
    const text = `{"parts":${stringifyJson(parts)},"entries":[${inline ?? ""}]}`;
    try {
      for (const [index, piece] of pieces.entries()) {
        signal.throwIfAborted();
        await kvPairs.set(names[index] ?? "", `{"entries":[${piece}]}`);
      }
      signal.throwIfAborted();
      return await this.#replaceHead(head, text);
    } finally {
      await this.#deleteUnused([...former, ...names]);
    }
  }

  async #replaceHead(former: JsonObject | undefined, text: string): Promise<boolean> {
    const before = former && stringifyJson(former);
    return await this.#context.kvPairs.update(this.#key, (value) => {
      const head = headOf(value, this.#key);
      return (head && stringifyJson(head)) === before ? text : undefined;
    });
  }

  /** The first pair decides: a write that failed may have reached the disk. */
  async #deleteUnused(parts: readonly string[]): Promise<void> {
    if (parts.length === 0) return;
    const used = new Set(partsIn(await read(this.#context, this.#key)));
    for (const part of parts) if (!used.has(part)) await this.#context.kvPairs.delete(part);
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
  return headOf(await kvPairs.get(key), key);
}

/** @throws Error it is no store */
function headOf(stored: JsonValue | undefined, key: string): JsonObject | undefined {
  if (stored === undefined) return undefined;
  const value = typeof stored === "string" ? tryParseJson(stored) : stored;
  if (isJsonObject(value)) return value;
  throw new Error(`Cannot read the embeddings "${key}": the KV pair has something else`);
}

/** Keys of the parts that a first pair names. */
function partsIn(head: JsonObject | undefined): string[] {
  return Array.isArray(head?.parts) ? head.parts.map(String) : [];
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
