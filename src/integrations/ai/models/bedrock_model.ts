/** Models by the API of Amazon Bedrock. Shapes: docs.aws.amazon.com/bedrock/latest/APIReference (Converse, InvokeModel). */
import { type JsonObject, type JsonValue, objectsOf, stringifyJson } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import { AwsClient } from "../../aws/client.ts";
import type {
  ChatMessage,
  ChatReply,
  ChatRequest,
  ContentBlock,
  Embedded,
  FinishReason,
  LanguageModel,
  ModelContext,
} from "./chat.ts";
import { count, given, objectOf, textIn } from "./model_calls.ts";
import { jsonInstruction } from "./openai_model.ts";

/** Name in signatures. */
const SERVICE = "bedrock";
const ENDPOINT = "bedrock-runtime";
/** Fewer are not accepted. */
const MIN_THINKING_TOKENS = 1024;

interface BedrockPlace {
  readonly modelName: string;
  /** Credentials and region, by the names of the properties of AWS. */
  readonly connection: JsonObject;
  /** The form of requests for embeddings: `COHERE` or `TITAN`. */
  readonly embeddingType: string;
}

/** A model of Amazon Bedrock. */
export class BedrockModel implements LanguageModel {
  readonly title: string;
  readonly #context: ModelContext;
  readonly #client: AwsClient;
  readonly #place: BedrockPlace;

  constructor(context: ModelContext, place: BedrockPlace) {
    this.#context = context;
    this.#place = place;
    this.#client = new AwsClient({
      properties: place.connection,
      signal: context.signal,
      http: (request) => context.http(request),
    });
    this.title = `Amazon Bedrock "${place.modelName}"`;
  }

  /** @inheritdoc */
  async chat(request: ChatRequest): Promise<ChatReply> {
    const { topK, seed } = request.options;
    if (topK !== undefined || seed !== undefined) {
      this.#context.log("WARN", "topK and seed have no effect: the API of Amazon Bedrock does not have them");
    }
    return replyOf(await this.#call("converse", `complete the prompt with ${this.title}`, bodyOf(request)));
  }

  /** @inheritdoc */
  async embed(texts: readonly string[]): Promise<Embedded> {
    const operation = `embed texts with ${this.title}`;
    if (this.#place.embeddingType === "COHERE") {
      const { embeddings } = await this.#call("invoke", operation, {
        texts: [...texts],
        input_type: "search_document",
      });
      return { vectors: vectorsOf(embeddings) };
    }
    // Titan takes one text a request.
    const vectors: (readonly number[])[] = [];
    for (const inputText of texts) {
      const { embedding } = await this.#call("invoke", operation, { inputText });
      vectors.push(...vectorsOf([embedding ?? null]));
    }
    return { vectors };
  }

  /** @inheritdoc */
  image(): Promise<never> {
    return Promise.reject(new Error("Images of Amazon Bedrock are not supported: use another provider"));
  }

  async #call(method: string, operation: string, json: JsonObject): Promise<JsonObject> {
    const model = encodeURIComponent(this.#place.modelName);
    const { text } = await this.#client.send({
      service: SERVICE,
      url: `${this.#client.endpointOf(ENDPOINT)}/model/${model}/${method}`,
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: stringifyJson(json),
      operation,
      // A reply has no effect but its price.
      isRepeatable: true,
    });
    return objectOf(await tryParseLongJson(text));
  }
}

/** @throws Error the response has none */
function vectorsOf(value: JsonValue | undefined): number[][] {
  const isVector = (each: JsonValue) => Array.isArray(each) && each.length > 0;
  if (Array.isArray(value) && value.every(isVector)) {
    return (value as JsonValue[][]).map((vector) => vector.map(Number));
  }
  throw new Error("Cannot read the embeddings of Amazon Bedrock: modelType is not the kind of the model");
}

function bodyOf({ system, messages, tools, options }: ChatRequest): JsonObject {
  const { maxTokens, temperature, topP, json, isThinking, thinkingTokens = MIN_THINKING_TOKENS } = options;
  const text = [system, json && jsonInstruction(json.schema)].filter(Boolean).join("\n\n");
  const inference = given({ maxTokens, temperature, topP });
  const specifications = tools.map(({ name, description, parameters }): JsonObject => ({
    toolSpec: { name, description, inputSchema: { json: parameters } },
  }));
  return given({
    messages: mergedMessages(messages),
    system: text === "" ? undefined : [{ text }],
    inferenceConfig: Object.keys(inference).length === 0 ? undefined : inference,
    toolConfig: specifications.length === 0 ? undefined : { tools: specifications },
    additionalModelRequestFields: isThinking
      ? { thinking: { type: "enabled", budget_tokens: thinkingTokens } }
      : undefined,
  });
}

/** Roles alternate: results of tools that were called together are one message. */
function mergedMessages(messages: readonly ChatMessage[]): JsonValue {
  const merged: { readonly role: string; readonly content: JsonObject[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = merged.at(-1);
    if (last?.role === role) last.content.push(...contentOf(message));
    else merged.push({ role, content: contentOf(message) });
  }
  return merged as unknown as JsonValue;
}

function contentOf(message: ChatMessage): JsonObject[] {
  if (message.role === "user") return message.blocks.map(blockForm);
  if (message.role === "tool") {
    return [{ toolResult: { toolUseId: message.call.id, content: [{ text: message.text }] } }];
  }
  if (Array.isArray(message.native)) return objectsOf(message.native);
  const { text, calls } = message;
  return [
    ...text === undefined ? [] : [{ text }],
    ...calls.map(({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ];
}

/** Names of documents are unique within a message. */
function blockForm(block: ContentBlock, index: number): JsonObject {
  if (block.type === "text") return { text: block.text };
  const source = { bytes: block.base64 };
  if (block.type === "pdf") return { document: { format: "pdf", name: `document ${index + 1}`, source } };
  return { image: { format: block.mediaType.replace(/^image\//, ""), source } };
}

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["end_turn", "STOP"],
  ["stop_sequence", "STOP"],
  ["max_tokens", "LENGTH"],
  ["model_context_window_exceeded", "LENGTH"],
  ["tool_use", "TOOL_EXECUTION"],
  ["guardrail_intervened", "CONTENT_FILTER"],
  ["content_filtered", "CONTENT_FILTER"],
]);

function replyOf(body: JsonObject): ChatReply {
  const { content } = objectOf(objectOf(body.output).message);
  const blocks = objectsOf(content);
  const thoughts = blocks.map(({ reasoningContent }) =>
    textIn(objectOf(objectOf(reasoningContent).reasoningText).text)
  );
  const usage = objectOf(body.usage);
  const input = count(usage.inputTokens) + count(usage.cacheReadInputTokens) +
    count(usage.cacheWriteInputTokens);
  const output = count(usage.outputTokens);
  return {
    text: textIn(blocks.map(({ text }) => textIn(text) ?? "").join("")),
    thinking: textIn(thoughts.filter(Boolean).join("")),
    calls: blocks.flatMap(({ toolUse }) => {
      const { toolUseId, name, input } = objectOf(toolUse);
      return name === undefined
        ? []
        : [{ id: String(toolUseId), name: String(name), arguments: objectOf(input) }];
    }),
    usage: { input, output, total: input + output },
    finishReason: FINISH_REASONS.get(body.stopReason) ?? "OTHER",
    native: content,
  };
}
