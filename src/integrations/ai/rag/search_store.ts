/** Searches a store of embeddings for a text. */
import type { JsonObject } from "../../../base/json.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import type { Source } from "../agent/source.ts";
import { modelOf } from "../providers.ts";
import { openStore } from "./stores.ts";

/** A search. */
export interface StoreSearch {
  /** The typed store. */
  readonly embeddings: JsonObject;
  /** The typed provider of the model of the embeddings. */
  readonly provider: JsonObject;
  readonly query: string;
  readonly maxResults: number;
  readonly minScore: number;
}

/** The most similar texts first. @throws Error the provider or the store fails */
export async function searchStore(
  context: ServerTaskContext,
  { embeddings, provider, query, maxResults, minScore }: StoreSearch,
): Promise<Source[]> {
  const model = await modelOf(context, provider);
  context.metric("ai.provider.calls", 1, { tags: { provider: String(provider.type) } });
  const { vectors: [vector] } = await model.embed([query]);
  if (!vector) throw new Error(`Cannot embed the query with ${model.title}: its reply has no vector`);
  await using store = await openStore(context, embeddings, { isDropped: false });
  context.metric("ai.embedding.store.calls", 1, { tags: { store: String(embeddings.type) } });
  const found = await store.search({ vector, maxResults, minScore });
  return found.map(({ text, metadata }) => ({ content: text, metadata }));
}
