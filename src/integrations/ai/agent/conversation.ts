/** The work of an agent: the model replies, its calls of tools are made, until it calls none. */
import type { JsonObject } from "../../../base/json.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import { systemClock } from "../../../base/time/clock.ts";
import type { ChatConfiguration } from "../configuration.ts";
import {
  addUsage,
  type ChatMessage,
  type ChatReply,
  type LanguageModel,
  textOfBlocks,
  type TokenUsage,
  type ToolCall,
} from "../models/chat.ts";
import type { AgentTool } from "./tool.ts";

/** Rounds with calls where no limit is given: what a loop of a model may cost. */
const MAX_ROUNDS = 100;
/** Characters of a logged prompt or reply. */
const MAX_LOGGED_CHARS = 10_000;

/** What is begun. */
interface Conversation {
  readonly model: LanguageModel;
  readonly configuration: ChatConfiguration;
  readonly system?: string;
  /** Ends with that of the user. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly AgentTool[];
  readonly maxRounds?: number;
}

/** A reply and how long it took. */
export interface TimedReply extends ChatReply {
  readonly durationMs: number;
}

/** A call that was made. */
interface MadeCall extends ToolCall {
  readonly result: string;
}

/** What came of it. */
export interface ConversationResult {
  /** All messages, the reply included. */
  readonly messages: readonly ChatMessage[];
  readonly reply: TimedReply;
  /** Replies that called tools. */
  readonly earlier: readonly TimedReply[];
  readonly made: readonly MadeCall[];
  /** Of all replies. */
  readonly usage?: TokenUsage;
}

/** Leads a conversation to its end. @throws Error a tool or the provider fails, or there are too many rounds */
export async function converse(
  context: ServerTaskContext,
  conversation: Conversation,
): Promise<ConversationResult> {
  const { tools, maxRounds = MAX_ROUNDS } = conversation;
  const byName = toolsByName(tools);
  const messages: ChatMessage[] = [...conversation.messages];
  const earlier: TimedReply[] = [], made: MadeCall[] = [];
  let usage: TokenUsage | undefined;
  for (;;) {
    const reply = await replyTo(context, conversation, messages);
    usage = addUsage(usage, reply.usage);
    const { text, calls, native } = reply;
    messages.push({ role: "assistant", text, calls, native });
    if (calls.length === 0) return { messages, reply, earlier, made, usage };
    if (earlier.push(reply) > maxRounds) {
      throw new Error(
        `Stopped: the model called tools in more than ${maxRounds} rounds; see maxSequentialToolsInvocations`,
      );
    }
    for (const call of calls) {
      const result = await resultOf(context, call, byName);
      made.push({ ...call, result });
      messages.push({ role: "tool", call, text: result });
    }
  }
}

function toolsByName(tools: readonly AgentTool[]): ReadonlyMap<string, AgentTool> {
  const byName = new Map<string, AgentTool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) {
      throw new Error(`There are two tools "${tool.name}": leave one out, or name it`);
    }
    byName.set(tool.name, tool);
  }
  return byName;
}

async function replyTo(
  context: ServerTaskContext,
  { model, configuration, system, tools }: Conversation,
  messages: readonly ChatMessage[],
): Promise<TimedReply> {
  const { options, isRequestLogged, isReplyLogged } = configuration;
  if (isRequestLogged) context.log("INFO", logged("Request", messages.at(-1)));
  const begun = systemClock.now();
  const reply = await model.chat({ system, messages, tools, options });
  const durationMs = systemClock.now() - begun;
  if (isReplyLogged) {
    context.log("INFO", logged("Response", { role: "assistant", text: reply.text, calls: reply.calls }));
  }
  return { ...reply, durationMs };
}

function logged(title: string, message: ChatMessage | undefined): string {
  if (!message) return title;
  const text = message.role === "user" ? textOfBlocks(message.blocks) : message.text ?? "";
  const names = message.role === "assistant" ? message.calls.map(({ name }) => name) : [];
  const calls = names.length === 0 ? "" : ` (calls ${names.join(", ")})`;
  return `${title}${calls}: ${text.slice(0, MAX_LOGGED_CHARS)}`;
}

async function resultOf(
  context: ServerTaskContext,
  { name, arguments: given }: ToolCall,
  tools: ReadonlyMap<string, AgentTool>,
): Promise<string> {
  const tool = tools.get(name);
  // Models invent names: the next round corrects it.
  if (!tool) return `There is no tool "${name}". Tools are: ${[...tools.keys()].join(", ")}`;
  context.metric("ai.agent.tool.calls", 1, { tags: { tool: tool.type } });
  context.signal.throwIfAborted();
  return await tool.run(given as JsonObject);
}
