/** `anthropic.ChatCompletion`. Shape: docs.anthropic.com/en/api/messages. */
import { type JsonObject, objectsOf, stringifyJson } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { anthropicHeaders } from "../ai/models/anthropic_model.ts";
import { callModel, count, given, objectOf, textIn, urlOf } from "../ai/models/model_calls.ts";

const MESSAGE: PropertySchemas = {
  type: dynamicText("Who says it.", { required: true, values: ["USER", "ASSISTANT"] }),
  content: dynamicText("The text.", { required: true }),
};

const TOOL: PropertySchemas = {
  name: dynamicText("Name.", { required: true }),
  description: dynamicText("What it does."),
  inputSchema: dynamicProperty("map", "JSON Schema of its input."),
};

/** Tools are not called: `toolUses` says which ones the model requests. */
export const anthropicChatCompletion = defineTask({
  type: "anthropic.ChatCompletion",
  title: "Continue a conversation with a model of Anthropic",
  description: "Sends messages to a model of Anthropic.",
  properties: {
    apiKey: dynamicText("API key; keep it as a secret.", { required: true }),
    model: dynamicText("Name of the model.", { required: true }),
    messages: dynamicProperty("list", "The conversation.", {
      required: true,
      items: dynamicProperty("object", "A message.", { properties: MESSAGE }),
    }),
    system: dynamicText("Instructions for the model."),
    maxTokens: dynamicProperty("integer", "Most tokens of the reply.", { default: 1024, minimum: 1 }),
    temperature: dynamicProperty("number", "Randomness, from 0 to 1.", { minimum: 0, maximum: 1 }),
    topP: dynamicProperty("number", "Chooses among the most likely tokens of this total probability."),
    topK: dynamicProperty("integer", "Chooses among so many of the most likely tokens.", { minimum: 1 }),
    tools: dynamicProperty("list", "Tools that the model may request.", {
      items: dynamicProperty("object", "A tool.", { properties: TOOL }),
    }),
    promptCaching: dynamicFlag(false, "Caches the beginning of the prompt."),
    baseUrl: dynamicText("Address of the API.", { default: "https://api.anthropic.com/v1" }),
  },
  outputs: {
    outputText: { type: "string", description: "The text of the reply." },
    toolUses: { type: "list", description: "Tools that the model requests: `id`, `name` and `input`." },
    stopReason: {
      type: "string",
      description: "Why the reply ended, such as `end_turn`, `max_tokens` or `tool_use`.",
    },
    rawResponse: { type: "string", description: "The reply as the JSON of the API." },
    cacheCreationInputTokens: { type: "integer", description: "Tokens that were written to the cache." },
    cacheReadInputTokens: { type: "integer", description: "Tokens that were read from the cache." },
  },
  metrics: {
    "usage.input.tokens": { type: "counter", description: "Tokens of the prompt." },
    "usage.output.tokens": { type: "counter", description: "Tokens of the reply." },
    "usage.cache.creation.tokens": { type: "counter", description: "Tokens that were written to the cache." },
    "usage.cache.read.tokens": { type: "counter", description: "Tokens that were read from the cache." },
  },
  examples: [{
    title: "Ask a model",
    yaml: `id: chat
type: io.svc.plugin.anthropic.ChatCompletion
apiKey: "{{ secret('ANTHROPIC_API_KEY') }}"
model: claude-sonnet-4-5
maxTokens: 1024
messages:
  - type: USER
    content: "{{ inputs.question }}"`,
  }],
  async run(context) {
    const { apiKey, baseUrl, model } = context.properties;
    const body = await callModel(context, {
      operation: `complete the prompt with "${model}"`,
      url: urlOf(String(baseUrl), "messages"),
      headers: anthropicHeaders(String(apiKey)),
      secrets: [String(apiKey)],
      json: requestOf(context.properties),
    });
    return outputsOf(context, body);
  },
});

function requestOf(
  { model, messages, system, maxTokens, temperature, topP, topK, tools, promptCaching }: JsonObject,
) {
  const forms = objectsOf(tools).map(({ name, description, inputSchema }) =>
    given({ name, description, input_schema: { type: "object", ...objectOf(inputSchema) } })
  );
  return given({
    model,
    max_tokens: maxTokens,
    messages: objectsOf(messages).map(({ type, content }) => ({
      role: String(type).toLowerCase(),
      content: content ?? "",
    })),
    system,
    temperature,
    top_p: topP,
    top_k: topK,
    tools: forms.length === 0 ? undefined : forms,
    cache_control: promptCaching === true ? { type: "ephemeral" } : undefined,
  });
}

function outputsOf(context: TaskContext, body: JsonObject): JsonObject {
  const usage = objectOf(body.usage);
  const { cache_creation_input_tokens: created, cache_read_input_tokens: read } = usage;
  context.metric("usage.input.tokens", count(usage.input_tokens));
  context.metric("usage.output.tokens", count(usage.output_tokens));
  if (typeof created === "number") context.metric("usage.cache.creation.tokens", created);
  if (typeof read === "number") context.metric("usage.cache.read.tokens", read);
  const blocks = objectsOf(body.content);
  const toolUses = blocks.filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => given({ id, name, input }));
  return given({
    outputText: blocks.map(({ type, text }) => type === "text" ? textIn(text) ?? "" : "").join(""),
    toolUses: toolUses.length === 0 ? undefined : toolUses,
    stopReason: textIn(body.stop_reason),
    rawResponse: stringifyJson(body),
    cacheCreationInputTokens: created ?? undefined,
    cacheReadInputTokens: read ?? undefined,
  });
}
