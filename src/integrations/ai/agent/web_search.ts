/** Searches of the web, as tools and as retrievers. */
import { isJsonObject, type JsonObject, objectsOf, stringifyJson } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import type { TaskRequest } from "../../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf, type Sender } from "../../http_calls.ts";
import type { Source } from "./source.ts";
import { objectSchema, type ToolOpener, toolsOf } from "./tool.ts";

const TAVILY = "https://api.tavily.com/search";
const GOOGLE = "https://www.googleapis.com/customsearch/v1";
const MAX_RESULTS = 5;

/** A search by a typed part of Tavily or Google. */
export async function searchWeb(
  sender: Sender,
  part: JsonObject,
  { query, maxResults }: { readonly query: string; readonly maxResults: number },
): Promise<Source[]> {
  const isTavily = String(part.type).endsWith(".TavilyWebSearch");
  const request = isTavily ? tavilyRequest(part, query, maxResults) : googleRequest(part, query, maxResults);
  const { status, text } = await callRepeatedly(sender, () => request, { isRepeatable: true });
  const body = await tryParseLongJson(text);
  if (status !== 200 || !isJsonObject(body)) {
    const words = text.replaceAll(String(part.apiKey), "***");
    throw refusalOf({ operation: "search the web", url: request.url, status, words });
  }
  return objectsOf(isTavily ? body.results : body.items).map(({ title, content, snippet, url, link }) => ({
    content: `${title ?? ""}\n${content ?? snippet ?? ""}`.trim(),
    metadata: { url: url ?? link ?? null },
  }));
}

/** Shape: docs.tavily.com, `POST /search`. */
function tavilyRequest({ apiKey }: JsonObject, query: string, maxResults: number): TaskRequest {
  const headers = { Authorization: `Bearer ${apiKey}` };
  return { url: TAVILY, headers, json: { query, max_results: maxResults } };
}

/** Shape: developers.google.com/custom-search, `GET /v1`. The key is a header, so that no log of addresses has it. */
function googleRequest({ apiKey, csi }: JsonObject, query: string, maxResults: number): TaskRequest {
  const search = new URLSearchParams({ cx: String(csi), q: query, num: String(Math.min(maxResults, 10)) });
  return { url: `${GOOGLE}?${search}`, headers: { "x-goog-api-key": String(apiKey) } };
}

/** The tool `searchWeb`. */
export const openWebSearch: ToolOpener = (context, part) =>
  Promise.resolve(toolsOf({
    type: String(part.type),
    name: "searchWeb",
    description: "Searches the web for current information. Returns titles, addresses and parts of pages.",
    parameters: objectSchema({ query: { type: "string", description: "What to search for." } }, ["query"]),
    run: async ({ query }) => {
      const found = await searchWeb(context, part, { query: String(query), maxResults: MAX_RESULTS });
      return stringifyJson(found.map(({ content, metadata }) => ({ ...metadata, content })));
    },
  }));
