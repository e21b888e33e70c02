/** Conversations with language models, independent of the API of a provider. */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";

/** Part of what a user says. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "pdf"; readonly mediaType: string; readonly base64: string };

/** A call of a tool that the model requests. */
export interface ToolCall {
  /** Given by the provider; unique within the conversation. */
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A message of a conversation. */
export type ChatMessage =
  | { readonly role: "user"; readonly blocks: readonly ContentBlock[] }
  | {
    readonly role: "assistant";
    readonly text?: string;
    readonly calls: readonly ToolCall[];
    /** The message as the provider gave it. Signatures of thoughts are sent back with it; only that provider reads it. */
    readonly native?: JsonValue;
  }
  | { readonly role: "tool"; readonly call: ToolCall; readonly text: string };

/** A tool as models see it. */
export interface ToolSpecification {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

/** The form of the text of a reply. */
export interface JsonFormat {
  readonly name: string;
  /** JSON Schema; absent: any object. */
  readonly schema?: JsonObject;
  /** The provider enforces the schema. */
  readonly isStrict: boolean;
}

/** How a reply is made. Absent members are left to the provider. */
export interface ChatOptions {
  readonly temperature?: number;
  readonly topK?: number;
  readonly topP?: number;
  readonly seed?: number;
  /** Most tokens of a reply. */
  readonly maxTokens?: number;
  readonly isThinking?: boolean;
  readonly thinkingTokens?: number;
  readonly isThinkingReturned: boolean;
  readonly isPromptCached: boolean;
  /** Absent: free text. */
  readonly json?: JsonFormat;
}

/** What is sent to a model. */
export interface ChatRequest {
  readonly system?: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpecification[];
  readonly options: ChatOptions;
}

/** Tokens that a provider counted. */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly total: number;
}

/** Why a reply ended. */
export type FinishReason = "STOP" | "LENGTH" | "TOOL_EXECUTION" | "CONTENT_FILTER" | "OTHER";

/** What a model replies. */
export interface ChatReply {
  readonly id?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly calls: readonly ToolCall[];
  readonly usage?: TokenUsage;
  readonly finishReason: FinishReason;
  readonly native?: JsonValue;
}

/** Vectors of texts, in their order. */
export interface Embedded {
  readonly vectors: readonly (readonly number[])[];
  readonly usage?: TokenUsage;
}

/** An image: its address, or its content. */
export type GeneratedImage =
  | { readonly url: string }
  | { readonly base64: string; readonly mediaType: string };

/** A model of a provider. A method that the provider does not have throws. @throws Error with host and words of the provider */
export interface LanguageModel {
  /** Name of the provider and of the model, for messages. */
  readonly title: string;
  /** Replies to the last message. */
  chat(request: ChatRequest): Promise<ChatReply>;
  /** At most {@link MAX_EMBEDDED_TEXTS} texts. */
  embed(texts: readonly string[]): Promise<Embedded>;
  /** Makes one image. */
  image(prompt: string): Promise<GeneratedImage>;
}

/** Providers accept 96 texts or more a request. */
export const MAX_EMBEDDED_TEXTS = 96;

/** What requests to models need of the attempt. */
export type ModelContext = Pick<ServerTaskContext, "http" | "signal" | "log">;

/** The sum of two usages. */
export function addUsage(a: TokenUsage | undefined, b: TokenUsage | undefined): TokenUsage | undefined {
  if (!a || !b) return a ?? b;
  return { input: a.input + b.input, output: a.output + b.output, total: a.total + b.total };
}

/** The texts of blocks, one a line. */
export function textOfBlocks(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
}
