/** Outputs and metrics of the types that use language models. */
import { isJsonObject, type JsonObject, tryParseJson } from "../../../base/json.ts";
import type { PropertySchemas } from "../../../model/flows/schema.ts";
import type { MetricDeclaration } from "../../../model/flows/type_declaration.ts";
import type { TaskContext } from "../../../model/tasks/task_definition.ts";
import type { ChatOptions, ChatReply, FinishReason, TokenUsage } from "../models/chat.ts";
import { given } from "../models/model_calls.ts";
import type { ConversationResult, TimedReply } from "./conversation.ts";
import { GUARDRAIL_OUTPUTS } from "./guardrails.ts";
import type { Source } from "./source.ts";

/** Outputs: tokens and the end of a reply. */
export const USAGE_OUTPUTS: PropertySchemas = Object.freeze({
  tokenUsage: {
    type: "map",
    description: "`inputTokenCount`, `outputTokenCount` and `totalTokenCount` of all replies.",
  },
  finishReason: {
    type: "string",
    description: "Why the reply ended: STOP, LENGTH, TOOL_EXECUTION, CONTENT_FILTER or OTHER.",
  },
});

/** Outputs of a conversation. */
export const AGENT_OUTPUTS: PropertySchemas = Object.freeze({
  textOutput: { type: "string", description: "The reply, if its form is `TEXT`." },
  jsonOutput: { type: "map", description: "The reply, if its form is `JSON`." },
  ...USAGE_OUTPUTS,
  toolExecutions: {
    type: "list",
    description: "Calls of tools: `requestId`, `requestName`, `requestArguments` and `result`.",
  },
  intermediateResponses: {
    type: "list",
    description:
      "Replies that called tools: `id`, `completion`, `tokenUsage`, `finishReason`, `toolExecutionRequests` " +
      "and `requestDuration`.",
  },
  requestDuration: { type: "integer", description: "Time of the last reply in milliseconds." },
  thinking: { type: "string", description: "What the model thought, if `returnThinking` is true." },
  sources: { type: "list", description: "Texts of retrievers: `content` and `metadata`." },
  ...GUARDRAIL_OUTPUTS,
});

/** Metric `ai.provider.calls`. */
export const PROVIDER_CALLS: MetricDeclaration = Object.freeze({
  type: "counter",
  description: "Uses of a provider, by `provider`.",
});

/** Metrics of a conversation. */
export const AGENT_METRICS: Readonly<Record<string, MetricDeclaration>> = Object.freeze({
  "input.token.count": { type: "counter", description: "Tokens of the prompts." },
  "output.token.count": { type: "counter", description: "Tokens of the replies." },
  "total.token.count": { type: "counter", description: "All tokens." },
  "ai.provider.calls": PROVIDER_CALLS,
  "ai.agent.tool.calls": { type: "counter", description: "Calls of tools, by `tool`." },
});

/** Reports tokens. */
export function reportUsage(context: TaskContext, usage: TokenUsage | undefined): void {
  if (!usage) return;
  context.metric("input.token.count", usage.input);
  context.metric("output.token.count", usage.output);
  context.metric("total.token.count", usage.total);
}

/** `tokenUsage`. */
export function usageForm(usage: TokenUsage | undefined): JsonObject | undefined {
  if (!usage) return undefined;
  const { input: inputTokenCount, output: outputTokenCount, total: totalTokenCount } = usage;
  return { inputTokenCount, outputTokenCount, totalTokenCount };
}

/** The outputs of a conversation, whose tokens are reported. @throws Error the reply should be JSON and is not */
export function conversationOutputs(
  context: TaskContext,
  { reply, earlier, made, usage }: ConversationResult,
  { options, sources = [] }: { readonly options: ChatOptions; readonly sources?: readonly Source[] },
): JsonObject {
  reportUsage(context, usage);
  warnOfEnd(context, reply.finishReason);
  return given({
    textOutput: options.json ? undefined : reply.text,
    jsonOutput: options.json ? jsonOf(reply) : undefined,
    tokenUsage: usageForm(usage),
    finishReason: reply.finishReason,
    toolExecutions: made.map(({ id, name, arguments: requestArguments, result }) => ({
      requestId: id,
      requestName: name,
      requestArguments,
      result,
    })),
    intermediateResponses: earlier.map(intermediateForm),
    requestDuration: reply.durationMs,
    thinking: options.isThinkingReturned ? reply.thinking : undefined,
    sources: sources.map(({ content, metadata }) => ({ content, metadata })),
  });
}

/** A reply that was cut or refused is no error: flows read `finishReason`. */
export function warnOfEnd(context: TaskContext, reason: FinishReason): void {
  if (reason === "LENGTH") {
    context.log("WARN", "The reply is cut: it has as many tokens as it may; raise maxToken");
  }
  if (reason === "CONTENT_FILTER") {
    context.log("WARN", "The provider refused to reply, or cut the reply, for its content");
  }
}

function intermediateForm({ id, text, usage, finishReason, calls, durationMs }: TimedReply): JsonObject {
  return given({
    id,
    completion: text,
    tokenUsage: usageForm(usage),
    finishReason,
    toolExecutionRequests: calls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments })),
    requestDuration: durationMs,
  });
}

/** Models without a mode for JSON enclose it in a block of code. */
const FENCED = /^```(?:json)?(?=\s*\n)([^]*)```$/;

/** The object that a reply contains. @throws Error it is no JSON object */
function jsonOf({ text = "", finishReason }: ChatReply): JsonObject {
  const value = tryParseJson(FENCED.exec(text.trim())?.[1] ?? text);
  if (isJsonObject(value)) return value;
  const advice = finishReason === "LENGTH" ? "; it is cut: raise maxToken" : "";
  throw new Error(`The reply is no JSON object, its end is ${finishReason}${advice}`);
}
