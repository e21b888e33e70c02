/**
 * Models by the API of OpenAI, which many providers have too. Shapes: platform.openai.com/docs/api-reference (chat,
 * embeddings, images).
 */
import { type JsonObject, objectsOf, stringifyJson } from "../../../base/json.ts";
import type {
  ChatMessage,
  ChatOptions,
  ChatReply,
  ChatRequest,
  ContentBlock,
  Embedded,
  FinishReason,
  GeneratedImage,
  LanguageModel,
  ModelContext,
  TokenUsage,
  ToolSpecification,
} from "./chat.ts";
import { argumentsOf, callModel, count, given, objectOf, textIn, urlOf } from "./model_calls.ts";

/** Where a model is, and what its provider has of the API. */
export interface OpenAiPlace {
  /** Name of the provider, for messages. */
  readonly provider: string;
  readonly modelName: string;
  /** The paths `chat/completions`, `embeddings` and `images/generations` are below it. */
  readonly baseUrl: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** Name of the limit of tokens; others than OpenAI have the older one. */
  readonly maxTokensName: "max_completion_tokens" | "max_tokens";
  /** Name of the seed. */
  readonly seedName?: "random_seed";
  /** `false`: the schema is described in the system message. */
  readonly hasJsonSchema: boolean;
}

/** A model of such a provider. */
export class OpenAiModel implements LanguageModel {
  readonly title: string;
  readonly #context: ModelContext;
  readonly #place: OpenAiPlace;

  constructor(context: ModelContext, place: OpenAiPlace) {
    this.#context = context;
    this.#place = place;
    this.title = `${place.provider} "${place.modelName}"`;
  }

  /** @inheritdoc */
  async chat(request: ChatRequest): Promise<ChatReply> {
    const body = await this.#call("chat/completions", `complete the prompt with ${this.title}`, {
      messages: messagesOf(request, this.#place.hasJsonSchema),
      ...request.tools.length > 0 && { tools: request.tools.map(toolForm) },
      ...this.#options(request.options),
    });
    const [choice] = objectsOf(body.choices);
    if (!choice) throw new Error(`Cannot complete the prompt with ${this.title}: its reply has no choice`);
    return replyOf(body, choice);
  }

  /** @inheritdoc */
  async embed(texts: readonly string[]): Promise<Embedded> {
    const body = await this.#call("embeddings", `embed texts with ${this.title}`, { input: [...texts] });
    const entries = objectsOf(body.data).sort((a, b) => count(a.index) - count(b.index));
    return { vectors: entries.map(({ embedding }) => embedding as number[]), usage: usageOf(body) };
  }

  /** @inheritdoc */
  async image(prompt: string): Promise<GeneratedImage> {
    const body = await this.#call("images/generations", `make an image with ${this.title}`, { prompt });
    const [image = {}] = objectsOf(body.data);
    const url = textIn(image.url), base64 = textIn(image.b64_json);
    if (url !== undefined) return { url };
    if (base64 !== undefined) return { base64, mediaType: "image/png" };
    throw new Error(`Cannot make an image with ${this.title}: its reply has no image`);
  }

  #options(options: ChatOptions): JsonObject {
    const { temperature, topP, topK, seed, maxTokens, isThinking, thinkingTokens } = options;
    const { maxTokensName, seedName = "seed", provider } = this.#place;
    const without = { topK, thinkingEnabled: isThinking || undefined, thinkingBudgetTokens: thinkingTokens };
    for (const [name, value] of Object.entries(without)) {
      if (value !== undefined) {
        this.#context.log("WARN", `${name} has no effect: the API of ${provider} does not have it`);
      }
    }
    return given({
      temperature,
      top_p: topP,
      [seedName]: seed,
      [maxTokensName]: maxTokens,
      response_format: this.#format(options),
    });
  }

  #format({ json }: ChatOptions): JsonObject | undefined {
    if (!json) return undefined;
    const { name, schema, isStrict: strict } = json;
    if (!schema || !this.#place.hasJsonSchema) return { type: "json_object" };
    return { type: "json_schema", json_schema: { name, schema, ...strict && { strict } } };
  }

  #call(
    path: "chat/completions" | "embeddings" | "images/generations",
    operation: string,
    members: JsonObject,
  ): Promise<JsonObject> {
    const { baseUrl, query = "", headers, secrets, modelName } = this.#place;
    const url = urlOf(baseUrl, path) + query;
    return callModel(this.#context, {
      operation,
      url,
      headers,
      secrets,
      json: { model: modelName, ...members },
      hasVectors: path === "embeddings",
    });
  }
}

function messagesOf(
  { system, messages, options: { json } }: ChatRequest,
  hasJsonSchema: boolean,
): JsonObject[] {
  const wanted = json && (!json.schema || !hasJsonSchema) ? jsonInstruction(json.schema) : undefined;
  const text = [system, wanted].filter(Boolean).join("\n\n");
  return [...text === "" ? [] : [{ role: "system", content: text }], ...messages.map(messageForm)];
}

/** For providers without schemas: states the form of the reply. The mode requires the word JSON. */
export function jsonInstruction(schema: JsonObject | undefined): string {
  const rule = "Reply with one JSON object and nothing else.";
  return schema ? `${rule} It must match this JSON Schema: ${stringifyJson(schema)}` : rule;
}

function messageForm(message: ChatMessage): JsonObject {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.call.id, content: message.text };
  if (message.role === "user") return { role: "user", content: contentForm(message.blocks) };
  const { text, calls } = message;
  return {
    role: "assistant",
    content: text ?? null,
    ...calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        id,
        type: "function",
        function: { name, arguments: stringifyJson(given) },
      })),
    },
  };
}

function contentForm(blocks: readonly ContentBlock[]): string | JsonObject[] {
  const [first] = blocks;
  return blocks.length === 1 && first?.type === "text" ? first.text : blocks.map(blockForm);
}

function blockForm(block: ContentBlock): JsonObject {
  if (block.type === "text") return { type: "text", text: block.text };
  const url = `data:${block.mediaType};base64,${block.base64}`;
  if (block.type === "image") return { type: "image_url", image_url: { url } };
  return { type: "file", file: { filename: "document.pdf", file_data: url } };
}

function toolForm({ name, description, parameters }: ToolSpecification): JsonObject {
  return { type: "function", function: { name, description, parameters } };
}

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["stop", "STOP"],
  ["length", "LENGTH"],
  ["tool_calls", "TOOL_EXECUTION"],
  ["function_call", "TOOL_EXECUTION"],
  ["content_filter", "CONTENT_FILTER"],
]);

function replyOf(body: JsonObject, choice: JsonObject): ChatReply {
  const message = objectOf(choice.message);
  const calls = objectsOf(message.tool_calls).map(({ id, function: called }) => {
    const { name, arguments: given } = objectOf(called);
    return { id: String(id), name: String(name), arguments: argumentsOf(given, String(name)) };
  });
  const refusal = textIn(message.refusal);
  const reason = FINISH_REASONS.get(choice.finish_reason) ?? "OTHER";
  return {
    id: textIn(body.id),
    text: textIn(message.content) ?? refusal,
    thinking: textIn(message.reasoning_content) ?? textIn(message.reasoning),
    calls,
    usage: usageOf(body),
    finishReason: refusal === undefined ? reason : "CONTENT_FILTER",
  };
}

function usageOf(body: JsonObject): TokenUsage | undefined {
  if (body.usage === undefined || body.usage === null) return undefined;
  const { prompt_tokens, completion_tokens, total_tokens } = objectOf(body.usage);
  return { input: count(prompt_tokens), output: count(completion_tokens), total: count(total_tokens) };
}
