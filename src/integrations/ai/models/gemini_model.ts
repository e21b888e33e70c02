/** Models by the API of Google Gemini. Shapes: ai.google.dev/api (generateContent, batchEmbedContents, predict). */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  ownProperty,
  setOwnProperty,
} from "../../../base/json.ts";
import type {
  ChatMessage,
  ChatOptions,
  ChatReply,
  ChatRequest,
  Embedded,
  FinishReason,
  GeneratedImage,
  LanguageModel,
  ModelContext,
  TokenUsage,
} from "./chat.ts";
import { callModel, count, given, objectOf, textIn, urlOf } from "./model_calls.ts";
import { jsonInstruction } from "./openai_model.ts";

/** The address of the API, with its version. */
export const GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta";

/** Options of embeddings. */
interface EmbeddingOptions {
  readonly taskType?: string;
  readonly outputDimensionality?: number;
}

interface GeminiPlace {
  readonly modelName: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly embedding?: EmbeddingOptions;
}

/** A model of Google. */
export class GeminiModel implements LanguageModel {
  readonly title: string;
  readonly #context: ModelContext;
  readonly #place: GeminiPlace;

  constructor(context: ModelContext, place: GeminiPlace) {
    this.#context = context;
    this.#place = place;
    this.title = `Gemini "${place.modelName}"`;
  }

  /** @inheritdoc */
  async chat(request: ChatRequest): Promise<ChatReply> {
    const body = await this.generate(chatBody(request));
    return replyOf(body, { title: this.title, earlierCalls: callCount(request.messages) });
  }

  /** The response to a body of `generateContent`. @throws Error with host and words of the provider */
  async generate(json: JsonObject): Promise<JsonObject> {
    return await this.#call("generateContent", `complete the prompt with ${this.title}`, json);
  }

  /** @inheritdoc */
  async embed(texts: readonly string[]): Promise<Embedded> {
    const { modelName, embedding: { taskType, outputDimensionality } = {} } = this.#place;
    const body = await this.#call("batchEmbedContents", `embed texts with ${this.title}`, {
      requests: texts.map((text) =>
        given({
          model: `models/${modelName}`,
          content: { parts: [{ text }] },
          taskType,
          outputDimensionality,
        })
      ),
    });
    return { vectors: objectsOf(body.embeddings).map(({ values }) => values as number[]) };
  }

  /** Models named `imagen…` have a method of their own; others reply with images. */
  async image(prompt: string): Promise<GeneratedImage> {
    const operation = `make an image with ${this.title}`;
    if (this.#place.modelName.startsWith("imagen")) {
      const parameters = { sampleCount: 1 };
      const body = await this.#call("predict", operation, { instances: [{ prompt }], parameters });
      const [image = {}] = objectsOf(body.predictions);
      return imageOf(image.bytesBase64Encoded, image.mimeType, operation);
    }
    const body = await this.#call("generateContent", operation, {
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      generationConfig: { responseModalities: ["TEXT", "IMAGE"] },
    });
    const found = partsOf(objectsOf(body.candidates)[0] ?? {}).find(({ inlineData }) =>
      inlineData !== undefined
    );
    const { data, mimeType } = objectOf(found?.inlineData);
    return imageOf(data, mimeType, operation);
  }

  #call(method: string, operation: string, json: JsonObject): Promise<JsonObject> {
    const { baseUrl, modelName, apiKey } = this.#place;
    return callModel(this.#context, {
      operation,
      url: urlOf(baseUrl, `models/${encodeURIComponent(modelName)}:${method}`),
      headers: { "x-goog-api-key": apiKey },
      secrets: [apiKey],
      json,
      hasVectors: method === "batchEmbedContents",
    });
  }
}

function imageOf(
  data: JsonValue | undefined,
  mimeType: JsonValue | undefined,
  operation: string,
): GeneratedImage {
  const base64 = textIn(data);
  if (base64 === undefined) throw new Error(`Cannot ${operation}: its reply has no image`);
  return { base64, mediaType: textIn(mimeType) ?? "image/png" };
}

function chatBody({ system, messages, tools, options }: ChatRequest): JsonObject {
  // The API refuses a form of the reply together with tools.
  const wanted = options.json && tools.length > 0 ? jsonInstruction(options.json.schema) : undefined;
  const text = [system, wanted].filter(Boolean).join("\n\n");
  const functions = tools.map(({ name, description, parameters }) => {
    const hasParameters = Object.keys(objectOf(parameters.properties)).length > 0;
    return given({ name, description, parameters: hasParameters ? geminiSchema(parameters) : undefined });
  });
  return given({
    contents: mergedContents(messages),
    systemInstruction: text === "" ? undefined : { parts: [{ text }] },
    tools: functions.length === 0 ? undefined : [{ functionDeclarations: functions }],
    generationConfig: generationConfig(options, tools.length > 0),
  });
}

function generationConfig(options: ChatOptions, hasTools: boolean): JsonObject {
  const { temperature, topK, topP, seed, maxTokens, isThinking, thinkingTokens, isThinkingReturned } =
    options;
  const json = hasTools ? undefined : options.json;
  // Absent: the model decides. -1 lets it choose a budget.
  const thinkingBudget = thinkingTokens ?? (isThinking === undefined ? undefined : isThinking ? -1 : 0);
  const thinking = given({ thinkingBudget, includeThoughts: isThinkingReturned || undefined });
  return given({
    temperature,
    topK,
    topP,
    seed,
    maxOutputTokens: maxTokens,
    responseMimeType: json ? "application/json" : undefined,
    responseSchema: json?.schema && geminiSchema(json.schema),
    thinkingConfig: Object.keys(thinking).length === 0 ? undefined : thinking,
  });
}

/** Members of the schemas of the API, which refuses any other of JSON Schema. */
const SCHEMA_MEMBERS: ReadonlySet<string> = new Set([
  ...["type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems"],
  ...["properties", "required", "minLength", "maxLength", "pattern", "anyOf", "minimum", "maximum"],
  ...["propertyOrdering", "minProperties", "maxProperties", "default", "example"],
]);

/** A JSON Schema with the members that the API has. */
export function geminiSchema(schema: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    if (!SCHEMA_MEMBERS.has(name)) continue;
    if (name === "properties" && isJsonObject(value)) kept.properties = schemasOf(value);
    else if (name === "items" && isJsonObject(value)) kept.items = geminiSchema(value);
    else if (name === "anyOf") kept.anyOf = objectsOf(value).map(geminiSchema);
    else if (name === "type" && Array.isArray(value)) {
      kept.type = value.find((type) => type !== "null") ?? "string";
      if (value.includes("null")) kept.nullable = true;
    } else kept[name] = value;
  }
  return kept;
}

function schemasOf(properties: JsonObject): JsonObject {
  const schemas: JsonObject = {};
  for (const name of Object.keys(properties)) {
    setOwnProperty(schemas, name, geminiSchema(objectOf(ownProperty(properties, name))));
  }
  return schemas;
}

/** Messages of one role after another are one content. */
function mergedContents(messages: readonly ChatMessage[]): JsonObject[] {
  const merged: { role: string; parts: JsonObject[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const last = merged.at(-1);
    if (last?.role === role) last.parts.push(...partsForm(message));
    else merged.push({ role, parts: partsForm(message) });
  }
  return merged as unknown as JsonObject[];
}

function partsForm(message: ChatMessage): JsonObject[] {
  if (message.role === "tool") {
    return [{ functionResponse: { name: message.call.name, response: { result: message.text } } }];
  }
  if (message.role === "user") {
    return message.blocks.map((block): JsonObject =>
      block.type === "text"
        ? { text: block.text }
        : { inlineData: { mimeType: block.mediaType, data: block.base64 } }
    );
  }
  if (Array.isArray(message.native)) return objectsOf(message.native);
  const { text, calls } = message;
  return [
    ...text === undefined ? [] : [{ text }],
    ...calls.map(({ name, arguments: args }) => ({ functionCall: { name, args } })),
  ];
}

/** Calls of earlier replies: the API gives no ids, so calls are numbered. */
function callCount(messages: readonly ChatMessage[]): number {
  return messages.reduce(
    (sum, message) => sum + (message.role === "assistant" ? message.calls.length : 0),
    0,
  );
}

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["STOP", "STOP"],
  ["MAX_TOKENS", "LENGTH"],
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"].map((name) =>
    [name, "CONTENT_FILTER"] as const
  ),
]);

interface ReplyPlace {
  readonly title: string;
  readonly earlierCalls: number;
}

function replyOf(body: JsonObject, { title, earlierCalls }: ReplyPlace): ChatReply {
  const [candidate] = objectsOf(body.candidates);
  if (!candidate) {
    const reason = textIn(objectOf(body.promptFeedback).blockReason) ?? "its reply is empty";
    throw new Error(`Cannot complete the prompt with ${title}: it was refused: ${reason}`);
  }
  const parts = partsOf(candidate);
  const texts = (isThought: boolean) =>
    textIn(
      parts.filter((part) => (part.thought === true) === isThought).map(({ text }) => textIn(text) ?? "")
        .join(""),
    );
  const calls = parts.flatMap(({ functionCall }) => isJsonObject(functionCall) ? [functionCall] : []);
  const reason = FINISH_REASONS.get(candidate.finishReason) ?? "OTHER";
  return {
    id: textIn(body.responseId),
    text: texts(false),
    thinking: texts(true),
    calls: calls.map(({ id, name, args }, index) => ({
      id: textIn(id) ?? `call-${earlierCalls + index + 1}`,
      name: String(name),
      arguments: objectOf(args),
    })),
    usage: usageOf(objectOf(body.usageMetadata)),
    finishReason: calls.length > 0 ? "TOOL_EXECUTION" : reason,
    native: parts,
  };
}

function partsOf(candidate: JsonObject): JsonObject[] {
  return objectsOf(objectOf(candidate.content).parts);
}

/** Tokens of thoughts are not in `candidatesTokenCount`. */
function usageOf(usage: JsonObject): TokenUsage {
  const output = count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount);
  return { input: count(usage.promptTokenCount), output, total: count(usage.totalTokenCount) };
}
