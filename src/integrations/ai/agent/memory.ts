/**
 * The messages that an agent remembers. They are stored as other servers of this language store them, so that a memory can
 * be taken over.
 */
import { isJsonObject, type JsonObject, objectsOf, stringifyJson, tryParseJson } from "../../../base/json.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import { type ChatMessage, textOfBlocks } from "../models/chat.ts";
import { argumentsOf, textIn } from "../models/model_calls.ts";

const OWN_EXECUTION = "{{ labels.system.correlationId }}";

/** A memory in a KV pair of the namespace. */
export class ChatMemory {
  readonly #context: ServerTaskContext;
  readonly #part: JsonObject;
  readonly #key: string;
  /** What was said before. */
  readonly messages: readonly ChatMessage[];

  private constructor(
    context: ServerTaskContext,
    part: JsonObject,
    { key, messages }: { readonly key: string; readonly messages: readonly ChatMessage[] },
  ) {
    this.#context = context;
    this.#part = part;
    this.#key = key;
    this.messages = messages;
  }

  /** Reads the memory that a typed part names. */
  static async open(context: ServerTaskContext, part: JsonObject): Promise<ChatMemory> {
    const key = optionalText(part.memoryId) ?? String(await context.render(OWN_EXECUTION));
    if (part.drop === "BEFORE_TASKRUN") await context.kvPairs.delete(key);
    const stored = await context.kvPairs.get(key);
    const list = typeof stored === "string" ? tryParseJson(stored) : stored;
    const messages = objectsOf(list).flatMap(readMessage);
    return new ChatMemory(context, part, { key, messages: recent(messages, Number(part.messages)) });
  }

  /** Stores the newest messages, or drops the memory. */
  async store(messages: readonly ChatMessage[]): Promise<void> {
    const { drop, ttl, messages: count } = this.#part;
    if (drop === "AFTER_TASKRUN") {
      await this.#context.kvPairs.delete(this.#key);
      return;
    }
    const text = stringifyJson(recent(messages, Number(count)).map(storedForm));
    const description = `Chat memory of the flow ${this.#context.attempt.flowId}`;
    await this.#context.kvPairs.set(this.#key, text, { ttl: String(ttl), description });
  }
}

/** The newest messages; results of tools without their call would be refused by providers. */
function recent(messages: readonly ChatMessage[], count: number): ChatMessage[] {
  const kept = messages.slice(-count);
  const first = kept.findIndex(({ role }) => role === "user");
  return first < 0 ? [] : kept.slice(first);
}

function storedForm(message: ChatMessage): JsonObject {
  if (message.role === "user") {
    return { contents: [{ text: textOfBlocks(message.blocks), type: "TEXT" }], type: "USER" };
  }
  if (message.role === "tool") {
    const { id, name: toolName } = message.call;
    return { id, toolName, text: message.text, type: "TOOL_EXECUTION_RESULT" };
  }
  const toolExecutionRequests = message.calls.map(({ id, name, arguments: given }) => ({
    id,
    name,
    arguments: stringifyJson(given),
  }));
  return { text: message.text ?? null, ...message.calls.length > 0 && { toolExecutionRequests }, type: "AI" };
}

function readMessage(stored: JsonObject): ChatMessage[] {
  const text = textIn(stored.text);
  switch (stored.type) {
    case "USER": {
      const texts = objectsOf(stored.contents).flatMap((content) => textIn(content.text) ?? []);
      return [{ role: "user", blocks: [{ type: "text", text: texts.join("\n") || (text ?? "") }] }];
    }
    case "AI": {
      const calls = objectsOf(stored.toolExecutionRequests).map(({ id, name, arguments: given }) => ({
        id: String(id),
        name: String(name),
        arguments: isJsonObject(given) ? given : argumentsOf(given, String(name)),
      }));
      return [{ role: "assistant", text, calls }];
    }
    case "TOOL_EXECUTION_RESULT":
      return [{
        role: "tool",
        call: { id: String(stored.id), name: String(stored.toolName), arguments: {} },
        text: text ?? "",
      }];
    default:
      // The system message is a property of the task.
      return [];
  }
}
