/** A model that embeds texts, and what stores of its embeddings find. */
import type { JsonObject } from "../../../src/base/json.ts";
import { ApiStub } from "../../support/servers/api_stub.ts";

/** A text has a number for each of these words. */
const WORDS = ["rain", "sun", "wind"];

function vectorOf(text: string, length = WORDS.length): number[] {
  return WORDS.slice(0, length).map((word) => text.split(word).length - 1);
}

/** An API of OpenAI with embeddings and replies; a reply repeats the prompt. */
export function embeddingStub({ length = WORDS.length } = {}): ApiStub {
  return new ApiStub(({ path, text, headers }) => {
    if (headers.authorization !== "Bearer key-1") return new Response("", { status: 401 });
    const body = JSON.parse(text);
    if (path === "/v1/chat/completions") {
      const { content } = body.messages.at(-1);
      return {
        choices: [{ message: { content }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1, total_tokens: 1 },
      };
    }
    if (path !== "/v1/embeddings" || body.model !== "m") return undefined;
    // The API does not promise an order.
    const data = (body.input as string[]).map((input, index) => ({
      index,
      embedding: vectorOf(input, length),
    })).reverse();
    return { data, usage: { prompt_tokens: 5, total_tokens: 5 } };
  });
}

/** Documents, of which some are similar. */
export const DOCUMENTS: JsonObject[] = [{ content: "rain rain", metadata: { page: 1 } }, { content: "sun" }, {
  content: "rain and wind",
}];

/** What is searched for in {@link DOCUMENTS}, and what is found. */
export const SEARCHES: readonly (readonly [query: JsonObject, outputs: JsonObject])[] = [
  [{ query: "rain", maxResults: 2, minScore: 0, fetchType: "FETCH" }, {
    results: ["rain rain", "rain and wind"],
    size: 2,
  }],
  [{ query: "sun", maxResults: 9, minScore: 0.9, fetchType: "FETCH" }, { results: ["sun"], size: 1 }],
  [{ query: "rain", maxResults: 9, minScore: 0.8, fetchType: "FETCH_ONE" }, {
    results: ["rain rain"],
    size: 2,
  }],
  [{ query: "rain", maxResults: 9, minScore: 0.8 }, {}],
];
