/** Models by the API of Anthropic. Shapes: docs.anthropic.com/en/api/messages. */
import { type JsonObject, objectsOf, stringifyJson } from "../../../base/json.ts";
import type {
  ChatMessage,
  ChatReply,
  ChatRequest,
  ContentBlock,
  FinishReason,
  LanguageModel,
  ModelContext,
  TokenUsage,
} from "./chat.ts";
import { callModel, count, given, objectOf, textIn, urlOf } from "./model_calls.ts";
import { jsonInstruction } from "./openai_model.ts";

/** The version of the API whose shapes are here. */
const VERSION = "2023-06-01";
/** Required by the API. */
const DEFAULT_MAX_TOKENS = 4096;
/** A forced call of this tool makes JSON by a schema. */
const JSON_TOOL = "reply";

/** The headers of each request. */
export function anthropicHeaders(apiKey: string): Readonly<Record<string, string>> {
  return { "x-api-key": apiKey, "anthropic-version": VERSION };
}

interface AnthropicPlace {
  readonly modelName: string;
  /** With the version: `https://api.anthropic.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** A model of Anthropic. */
export class AnthropicModel implements LanguageModel {
  readonly title: string;
  readonly #context: ModelContext;
  readonly #place: AnthropicPlace;

  constructor(context: ModelContext, place: AnthropicPlace) {
    this.#context = context;
    this.#place = place;
    this.title = `Anthropic "${place.modelName}"`;
  }

  /** @inheritdoc */
  async chat(request: ChatRequest): Promise<ChatReply> {
    const { baseUrl, apiKey, modelName } = this.#place;
    if (request.options.seed !== undefined) {
      this.#context.log("WARN", "seed has no effect: the API of Anthropic does not have it");
    }
    const body = await callModel(this.#context, {
      operation: `complete the prompt with ${this.title}`,
      url: urlOf(baseUrl, "messages"),
      headers: anthropicHeaders(apiKey),
      secrets: [apiKey],
      json: { model: modelName, ...bodyOf(request) },
    });
    return replyOf(body, isForced(request));
  }

  /** @inheritdoc */
  embed(): Promise<never> {
    return Promise.reject(
      new Error("Anthropic has no embeddings: use the model of another provider for them"),
    );
  }

  /** @inheritdoc */
  image(): Promise<never> {
    return Promise.reject(new Error("Anthropic makes no images: use the model of another provider"));
  }
}

/** A tool can be forced only where the model neither thinks nor has others. */
function isForced({ tools, options: { json, isThinking } }: ChatRequest): boolean {
  return json?.schema !== undefined && tools.length === 0 && !isThinking;
}

function bodyOf(request: ChatRequest): JsonObject {
  const { system, messages, tools, options } = request;
  const { temperature, topK, topP, maxTokens = DEFAULT_MAX_TOKENS, json, isPromptCached } = options;
  const isJsonTool = isForced(request);
  const wanted = json && !isJsonTool ? jsonInstruction(json.schema) : undefined;
  const text = [system, wanted].filter(Boolean).join("\n\n");
  const forms = tools.map(({ name, description, parameters }): JsonObject => ({
    name,
    description,
    input_schema: parameters,
  }));
  if (isJsonTool) {
    forms.push({ name: JSON_TOOL, description: "Gives the reply.", input_schema: json?.schema ?? {} });
  }
  return given({
    max_tokens: maxTokens,
    messages: mergedMessages(messages),
    system: text === "" ? undefined : text,
    temperature,
    top_k: topK,
    top_p: topP,
    tools: forms.length === 0 ? undefined : forms,
    tool_choice: isJsonTool ? { type: "tool", name: JSON_TOOL } : undefined,
    thinking: thinkingOf(request),
    cache_control: isPromptCached ? { type: "ephemeral" } : undefined,
  });
}

/** The API takes no less than 1,024 tokens for thinking. */
function thinkingOf({ options: { isThinking, thinkingTokens = 1024 } }: ChatRequest): JsonObject | undefined {
  return isThinking ? { type: "enabled", budget_tokens: thinkingTokens } : undefined;
}

/** Results of tools that were called together are one message. */
function mergedMessages(messages: readonly ChatMessage[]): JsonObject[] {
  const merged: { role: string; content: JsonObject[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = merged.at(-1);
    if (last?.role === role) last.content.push(...contentOf(message));
    else merged.push({ role, content: contentOf(message) });
  }
  return merged as unknown as JsonObject[];
}

function contentOf(message: ChatMessage): JsonObject[] {
  if (message.role === "user") return message.blocks.map(blockForm);
  if (message.role === "tool") {
    return [{ type: "tool_result", tool_use_id: message.call.id, content: message.text }];
  }
  if (Array.isArray(message.native)) return objectsOf(message.native);
  const { text, calls } = message;
  return [
    ...text === undefined ? [] : [{ type: "text", text }],
    ...calls.map(({ id, name, arguments: input }) => ({ type: "tool_use", id, name, input })),
  ];
}

function blockForm(block: ContentBlock): JsonObject {
  if (block.type === "text") return { type: "text", text: block.text };
  const source = { type: "base64", media_type: block.mediaType, data: block.base64 };
  return { type: block.type === "image" ? "image" : "document", source };
}

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["end_turn", "STOP"],
  ["stop_sequence", "STOP"],
  ["max_tokens", "LENGTH"],
  ["model_context_window_exceeded", "LENGTH"],
  ["tool_use", "TOOL_EXECUTION"],
  ["refusal", "CONTENT_FILTER"],
]);

function replyOf(body: JsonObject, isJsonTool: boolean): ChatReply {
  const blocks = objectsOf(body.content);
  const used = blocks.filter(({ type }) => type === "tool_use");
  const json = isJsonTool ? used.find(({ name }) => name === JSON_TOOL) : undefined;
  const texts = (kind: string) => {
    const found = blocks.filter(({ type }) => type === kind).map((block) => textIn(block[kind]) ?? "");
    return textIn(found.join(""));
  };
  const reason = FINISH_REASONS.get(body.stop_reason) ?? "OTHER";
  return {
    id: textIn(body.id),
    text: json ? stringifyJson(json.input) : texts("text"),
    thinking: texts("thinking"),
    calls: json ? [] : used.map(({ id, name, input }) => ({
      id: String(id),
      name: String(name),
      arguments: objectOf(input),
    })),
    usage: usageOf(objectOf(body.usage)),
    finishReason: json && reason === "TOOL_EXECUTION" ? "STOP" : reason,
    native: body.content,
  };
}

/** Tokens that were written to a cache or read from one are not in `input_tokens`. */
function usageOf(usage: JsonObject): TokenUsage {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  const input = count(input_tokens) + count(cache_creation_input_tokens) + count(cache_read_input_tokens);
  const output = count(output_tokens);
  return { input, output, total: input + output };
}
