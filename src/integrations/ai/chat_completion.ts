/** `ai.completion.ChatCompletion`. */
import { type JsonObject, objectsOf } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { checkPrompt, checkReply, guarded, GUARDRAILS } from "./agent/guardrails.ts";
import { AGENT_METRICS, AGENT_OUTPUTS, conversationOutputs } from "./agent/outputs.ts";
import { CHAT_CONFIGURATION } from "./configuration.ts";
import { CONTENT_BLOCKS, readBlocks } from "./content_blocks.ts";
import { type ChatMessage, textOfBlocks } from "./models/chat.ts";
import { OBSERVABILITY } from "./observability.ts";
import { partProperty, partsProperty } from "./part.ts";

const MESSAGE: PropertySchemas = {
  type: dynamicText("Who says it.", { required: true, values: ["SYSTEM", "USER", "AI"] }),
  content: dynamicText("The text."),
  contentBlocks: CONTENT_BLOCKS,
};

/** `aiResponse` is the former name of `textOutput`. */
export const chatCompletion = defineServerTask({
  type: "ai.completion.ChatCompletion",
  aliases: ["langchain4j.ChatCompletion", "langchain4j.completion.ChatCompletion"],
  title: "Continue a conversation with a model",
  description: "Sends messages to a language model, which replies to the last one.",
  properties: {
    provider: partProperty("provider", "Model.", { required: true }),
    messages: dynamicProperty("list", "The conversation; the last message is one of the user.", {
      required: true,
      items: dynamicProperty("object", "A message.", { properties: MESSAGE }),
    }),
    configuration: CHAT_CONFIGURATION,
    tools: partsProperty("tool", "What the model can use."),
    guardrails: GUARDRAILS,
    observability: OBSERVABILITY,
  },
  outputs: {
    ...AGENT_OUTPUTS,
    aiResponse: { type: "string", description: "Former name of `textOutput`." },
  },
  metrics: AGENT_METRICS,
  examples: [{
    title: "Ask a model",
    yaml: `id: chat
type: io.svc.plugin.ai.completion.ChatCompletion
provider:
  type: io.svc.plugin.ai.provider.Anthropic
  apiKey: "{{ secret('ANTHROPIC_API_KEY') }}"
  modelName: claude-sonnet-4-5
messages:
  - type: SYSTEM
    content: You are a helpful assistant.
  - type: USER
    content: "{{ inputs.question }}"`,
  }],
  run: (context) => guarded(context, () => complete(context)),
});

async function complete(context: ServerTaskContext): Promise<JsonObject> {
  const { provider, configuration, tools } = context.properties;
  const { system, history, blocks } = await readMessages(context);
  await checkPrompt(context, textOfBlocks(blocks));
  const { runAgent } = await import("./agent/run_agent.ts");
  const { result, configuration: { options } } = await runAgent(context, {
    provider,
    configuration,
    system,
    history,
    blocks,
    tools,
  });
  await checkReply(context, result.reply);
  const outputs = conversationOutputs(context, result, { options });
  return { ...outputs, ...outputs.textOutput !== undefined && { aiResponse: outputs.textOutput } };
}

async function readMessages(context: ServerTaskContext) {
  const messages = objectsOf(context.properties.messages);
  const systems = messages.filter(({ type }) => type === "SYSTEM");
  if (systems.length > 1) throw new Error("Invalid messages: there can be only one of the type SYSTEM");
  const others = messages.filter(({ type }) => type !== "SYSTEM");
  const read: ChatMessage[] = [];
  for (const { type, content, contentBlocks } of others) {
    const blocks = await readBlocks(context, { text: optionalText(content), blocks: contentBlocks });
    if (type === "AI") read.push({ role: "assistant", text: textOfBlocks(blocks), calls: [] });
    else read.push({ role: "user", blocks });
  }
  const last = read.pop();
  if (last?.role !== "user") throw new Error("Invalid messages: the last one must be of the type USER");
  return { system: optionalText(systems[0]?.content), history: read, blocks: last.blocks };
}
