/**
 * Stubs of the APIs of models. Shapes are those of the public documentation: platform.openai.com/docs/api-reference,
 * docs.anthropic.com/en/api/messages, ai.google.dev/api.
 */
import type { JsonObject } from "../../../src/base/json.ts";
import { type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";

/** What the model of a stub says next: a text, a call of a tool, or a whole response. */
export type Said =
  | { readonly text: string }
  | { readonly call: string; readonly given: JsonObject }
  | Response;

/** An API: how a key is sent, and how a reply looks. */
export interface ModelApi {
  /** Last part of the type of the provider. */
  readonly provider: string;
  readonly origin: string;
  readonly path: string;
  /** Header of the key, and its value for the key `key-1`. */
  readonly header: readonly [name: string, value: string];
  readonly reply: (said: Exclude<Said, Response>) => JsonObject;
  /** The tools of a request by their names. */
  readonly tools: (body: JsonObject) => string[];
}

const OPENAI_USAGE = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };

function openAiReply(said: Exclude<Said, Response>): JsonObject {
  const message: JsonObject = "text" in said ? { role: "assistant", content: said.text } : {
    role: "assistant",
    content: null,
    tool_calls: [{
      id: "c1",
      type: "function",
      function: { name: said.call, arguments: JSON.stringify(said.given) },
    }],
  };
  const finish_reason = "text" in said ? "stop" : "tool_calls";
  return {
    id: "r1",
    object: "chat.completion",
    model: "m",
    choices: [{ index: 0, message, finish_reason }],
    usage: OPENAI_USAGE,
  };
}

function anthropicReply(said: Exclude<Said, Response>): JsonObject {
  const block: JsonObject = "text" in said
    ? { type: "text", text: said.text }
    : { type: "tool_use", id: "c1", name: said.call, input: said.given };
  const usage = { input_tokens: 10, output_tokens: 2 };
  return {
    id: "r1",
    type: "message",
    content: [block],
    stop_reason: "text" in said ? "end_turn" : "tool_use",
    usage,
  };
}

function geminiReply(said: Exclude<Said, Response>): JsonObject {
  const part: JsonObject = "text" in said
    ? { text: said.text }
    : { functionCall: { name: said.call, args: said.given }, thoughtSignature: "sign" };
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 };
  return {
    responseId: "r1",
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata,
  };
}

function named(list: unknown, member: (entry: JsonObject) => unknown): string[] {
  return ((list ?? []) as JsonObject[]).map((entry) => String((member(entry) as JsonObject).name));
}

const OPENAI: Omit<ModelApi, "provider" | "origin" | "path"> = {
  header: ["authorization", "Bearer key-1"],
  reply: openAiReply,
  tools: ({ tools }) => named(tools, (tool) => tool.function),
};

/** The three APIs, and providers that have the first of them. */
export const APIS: readonly ModelApi[] = [
  { ...OPENAI, provider: "OpenAI", origin: "https://api.openai.com", path: "/v1/chat/completions" },
  { ...OPENAI, provider: "MistralAI", origin: "https://api.mistral.ai", path: "/v1/chat/completions" },
  { ...OPENAI, provider: "OpenRouter", origin: "https://openrouter.ai", path: "/api/v1/chat/completions" },
  { ...OPENAI, provider: "DeepSeek", origin: "https://api.deepseek.com", path: "/v1/chat/completions" },
  {
    ...OPENAI,
    provider: "HuggingFace",
    origin: "https://router.huggingface.co",
    path: "/v1/chat/completions",
  },
  {
    provider: "Anthropic",
    origin: "https://api.anthropic.com",
    path: "/v1/messages",
    header: ["x-api-key", "key-1"],
    reply: anthropicReply,
    tools: ({ tools }) => named(tools, (tool) => tool),
  },
  {
    provider: "GoogleGemini",
    origin: "https://generativelanguage.googleapis.com",
    path: "/v1beta/models/m:generateContent",
    header: ["x-goog-api-key", "key-1"],
    reply: geminiReply,
    tools: ({ tools }) =>
      ((tools ?? []) as JsonObject[]).flatMap(({ functionDeclarations }) =>
        named(functionDeclarations, (each) => each)
      ),
  },
];

/** One of {@link APIS}. */
export function apiOf(provider: string): ModelApi {
  const found = APIS.find((api) => api.provider === provider);
  if (!found) throw new Error(`No stub of ${provider}`);
  return found;
}

/** A model that says these things one after another; a request of another form gets 404, one without the key 401. */
export function modelStub(api: ModelApi, said: readonly Said[]): ApiStub {
  let next = 0;
  return new ApiStub(({ method, path, headers }: ApiRequest) => {
    if (method !== "POST" || path !== api.path) return undefined;
    const [name, value] = api.header;
    if (headers[name] !== value) return Response.json({ error: { message: "bad key" } }, { status: 401 });
    if (headers["content-type"] !== "application/json") return new Response("", { status: 415 });
    const reply = said[next++];
    return reply === undefined || reply instanceof Response ? reply : api.reply(reply);
  });
}

/** The provider of the stub as flows declare it. */
export function providerOf({ provider }: ModelApi, further: JsonObject = {}): JsonObject {
  return { type: `io.kestra.plugin.ai.provider.${provider}`, modelName: "m", apiKey: "key-1", ...further };
}

/** The JSON bodies that a stub got. */
export function bodiesOf({ requests }: ApiStub): JsonObject[] {
  return requests.map(({ text }) => JSON.parse(text));
}
