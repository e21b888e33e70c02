/** Texts with their embeddings, and how similar they are. */
import type { JsonObject } from "../../../base/json.ts";

/** A text with its vector. */
export interface EmbeddedText {
  readonly id: string;
  readonly text: string;
  readonly metadata: JsonObject;
  readonly vector: readonly number[];
}

/** A text that is similar to a query. */
export interface FoundText extends Pick<EmbeddedText, "text" | "metadata"> {
  /** From 0 to 1: half of the cosine plus one. */
  readonly score: number;
}

/** What is searched. */
export interface StoreQuery {
  readonly vector: readonly number[];
  readonly maxResults: number;
  readonly minScore: number;
}

/** An open store. What is added is durable, and seen by others, after `save`. */
export interface EmbeddingStore extends AsyncDisposable {
  /** Adds texts, whose vectors have the same length. */
  add(texts: readonly EmbeddedText[]): Promise<void>;
  /** The most similar texts first. @throws Error the vectors have another length */
  search(query: StoreQuery): Promise<FoundText[]>;
  /** Stores what was added; returns outputs. */
  save(): Promise<JsonObject>;
}

/** How a store is opened. */
export interface StoreOptions {
  /** Former texts are removed by `save`. */
  readonly isDropped: boolean;
}

/** The score of two vectors; 0 for vectors without length. */
export function similarity(a: readonly number[], b: readonly number[]): number {
  let product = 0, aSquares = 0, bSquares = 0;
  for (let index = 0; index < a.length; index++) {
    const x = a[index] ?? 0, y = b[index] ?? 0;
    product += x * y;
    aSquares += x * x;
    bSquares += y * y;
  }
  const length = Math.sqrt(aSquares * bSquares);
  return length === 0 ? 0 : (product / length + 1) / 2;
}
