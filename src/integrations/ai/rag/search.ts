/** `ai.rag.Search`. */
import type { JsonObject } from "../../../base/json.ts";
import { dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineServerTask } from "../../../model/tasks/server_task.ts";
import { FETCH_TYPE } from "../../fetched_rows.ts";
import { rowLines, writePieces } from "../../row_files.ts";
import { PROVIDER_CALLS } from "../agent/outputs.ts";
import { partProperty } from "../part.ts";
import { searchStore } from "./search_store.ts";

/** `size` is the number of matches, also with FETCH_ONE. */
export const search = defineServerTask({
  type: "ai.rag.Search",
  aliases: ["langchain4j.rag.Search"],
  title: "Search a store of embeddings",
  description: "Finds the texts of a store that are most similar to a query.",
  properties: {
    provider: partProperty("provider", "Model of the embeddings.", { required: true }),
    embeddings: partProperty("embeddings", "The store.", { required: true }),
    query: dynamicText("What is searched for.", { required: true }),
    maxResults: dynamicProperty("integer", "Most results.", { required: true, minimum: 1 }),
    minScore: dynamicProperty("number", "Least similarity, from 0 to 1.", {
      required: true,
      minimum: 0,
      maximum: 1,
    }),
    fetchType: { ...FETCH_TYPE, default: "NONE" },
  },
  outputs: {
    results: { type: "list", description: "Texts, with FETCH; the most similar one, with FETCH_ONE." },
    uri: { type: "string", description: "Storage URI of the texts as Ion, with STORE." },
    size: { type: "integer", description: "Number of texts that were found." },
  },
  metrics: {
    "ai.provider.calls": PROVIDER_CALLS,
    "ai.embedding.store.calls": { type: "counter", description: "Uses of a store, by `store`." },
    "fetch.size": { type: "counter", description: "Texts of the outputs." },
  },
  examples: [{
    title: "Find passages of a manual",
    yaml: `id: search
type: io.svc.plugin.ai.rag.Search
provider:
  type: io.svc.plugin.ai.provider.GoogleGemini
  apiKey: "{{ secret('GEMINI_API_KEY') }}"
  modelName: gemini-embedding-001
embeddings:
  type: io.svc.plugin.ai.embeddings.KestraKVStore
query: "{{ inputs.question }}"
maxResults: 5
minScore: 0.5
fetchType: FETCH`,
  }],
  async run(context): Promise<JsonObject> {
    const { provider, embeddings, query, maxResults, minScore, fetchType } = context.properties;
    const found = await searchStore(context, {
      embeddings: embeddings as JsonObject,
      provider: provider as JsonObject,
      query: String(query),
      maxResults: Number(maxResults),
      minScore: Number(minScore),
    });
    const texts = found.map(({ content }) => content);
    context.metric("fetch.size", fetchType === "NONE" ? 0 : texts.length);
    if (fetchType === "FETCH") return { results: texts, size: texts.length };
    if (fetchType === "FETCH_ONE") return { results: texts.slice(0, 1), size: texts.length };
    if (fetchType !== "STORE") return {};
    const path = `${await context.directory()}/texts.ion`;
    await writePieces(path, rowLines(texts), context.signal);
    return { uri: await context.storeFile(path), size: texts.length };
  },
});
