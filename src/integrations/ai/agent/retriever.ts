/** Texts that are added to a prompt before the model reads it. */
import { type JsonObject, type JsonValue, objectsOf } from "../../../base/json.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import type { Source } from "./source.ts";

/** The texts that the typed retrievers find for a prompt, in their order. @throws Error with host and words of a service */
export async function retrieve(
  context: ServerTaskContext,
  retrievers: JsonValue | undefined,
  prompt: string,
): Promise<Source[]> {
  const found: Source[] = [];
  for (const part of objectsOf(retrievers)) found.push(...await retrieveOne(context, part, prompt));
  return found;
}

async function retrieveOne(context: ServerTaskContext, part: JsonObject, prompt: string): Promise<Source[]> {
  const maxResults = Number(part.maxResults);
  if (String(part.type).endsWith("WebSearch")) {
    const { searchWeb } = await import("./web_search.ts");
    return await searchWeb(context, part, { query: prompt, maxResults });
  }
  const { searchStore } = await import("../rag/search_store.ts");
  return await searchStore(context, {
    embeddings: part.embeddings as JsonObject,
    provider: part.embeddingProvider as JsonObject,
    query: prompt,
    maxResults,
    minScore: Number(part.minScore),
  });
}
