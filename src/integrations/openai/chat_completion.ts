/** `openai.ChatCompletion`. Shape: platform.openai.com/docs/api-reference/chat. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  setOwnProperty,
  tryParseJson,
} from "../../base/json.ts";
import {
  dynamicContent,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { given } from "../ai/models/model_calls.ts";
import { callOpenAi, OPENAI_METRICS, OPENAI_PROPERTIES, reportOpenAiUsage } from "./client.ts";

const MESSAGE: PropertySchemas = {
  role: dynamicText("Who says it: `system`, `user` or `assistant`.", { required: true }),
  content: dynamicContent("The text."),
  name: dynamicText("Name of the participant."),
};

const PARAMETER: PropertySchemas = {
  name: dynamicText("Name.", { required: true }),
  description: dynamicText("What it is.", { required: true }),
  type: dynamicText("Its type in JSON Schema.", { required: true }),
  enumValues: dynamicProperty("list", "Allowed values.", { items: dynamicText("A value.") }),
  required: dynamicFlag(false, "Whether the model must give it."),
};

const FUNCTION: PropertySchemas = {
  name: dynamicText("Name.", { required: true }),
  description: dynamicText("What it does."),
  parameters: dynamicProperty("list", "Its parameters.", {
    items: dynamicProperty("object", "A parameter.", { properties: PARAMETER }),
  }),
};

/** `choices` and `usage` are as the API gives them. */
export const openAiChatCompletion = defineTask({
  type: "openai.ChatCompletion",
  title: "Continue a conversation with a model of OpenAI",
  description: "Sends messages to a model of OpenAI. The reply is `choices[0].message.content`.",
  properties: {
    ...OPENAI_PROPERTIES,
    model: dynamicText("Name of the model.", { required: true }),
    messages: dynamicProperty("list", "The conversation.", {
      items: dynamicProperty("object", "A message.", { properties: MESSAGE }),
    }),
    prompt: dynamicText("What the user says, after the messages."),
    functions: dynamicProperty("list", "Functions that the model may request.", {
      items: dynamicProperty("object", "A function.", { properties: FUNCTION }),
    }),
    functionCall: dynamicText("`auto`, `none`, or the name of the function that must be requested.", {
      default: "auto",
    }),
    temperature: dynamicProperty("number", "Randomness, from 0 to 2.", { minimum: 0, maximum: 2 }),
    topP: dynamicProperty("number", "Chooses among the most likely tokens of this total probability."),
    n: dynamicProperty("integer", "Number of replies.", { default: 1, minimum: 1 }),
    stop: dynamicProperty("list", "Texts that end a reply.", { items: dynamicText("A text.") }),
    maxTokens: dynamicProperty("integer", "Most tokens of a reply.", { minimum: 1 }),
    presencePenalty: dynamicProperty("number", "Weight against topics that were there, from -2 to 2."),
    frequencyPenalty: dynamicProperty("number", "Weight against words that were there, from -2 to 2."),
    logitBias: dynamicProperty("map", "Weights of tokens by their ids."),
    jsonResponseSchema: dynamicContent("JSON Schema of the reply."),
    promptCaching: dynamicFlag(false, "Keeps the beginning of the prompt in the cache for a day."),
  },
  outputs: {
    id: { type: "string", description: "Id of the completion." },
    object: { type: "string", description: "`chat.completion`." },
    model: { type: "string", description: "Model that replied." },
    choices: {
      type: "list",
      description: "Replies: `message` with `role` and `content`, `finish_reason`, `index`.",
    },
    usage: { type: "map", description: "`prompt_tokens`, `completion_tokens` and `total_tokens`." },
  },
  metrics: OPENAI_METRICS,
  examples: [{
    title: "Ask a model",
    yaml: `id: chat
type: io.svc.plugin.openai.ChatCompletion
apiKey: "{{ secret('OPENAI_API_KEY') }}"
model: gpt-5-mini
messages:
  - role: system
    content: Answer in one sentence.
  - role: user
    content: "{{ inputs.question }}"`,
  }],
  async run(context) {
    const body = await callOpenAi(context, {
      path: "chat/completions",
      operation: `complete the prompt with "${context.properties.model}"`,
      json: requestOf(context),
    });
    reportOpenAiUsage(context, body.usage);
    const { id, object, model, choices, usage } = body;
    return given({ id, object, model, choices, usage });
  },
});

function requestOf({ properties }: TaskContext): JsonObject {
  const { prompt, messages, user, model, temperature, topP, n, stop, maxTokens, logitBias } = properties;
  const text = optionalText(prompt);
  const own = objectsOf(messages).map(({ role, content, name }) =>
    given({ role: String(role).toLowerCase(), content: content ?? "", name })
  );
  const all = [...own, ...text === undefined ? [] : [{ role: "user", content: text }]];
  if (all.length === 0) throw new Error("Nothing to send: give messages or prompt");
  return given({
    model,
    messages: all,
    temperature,
    top_p: topP,
    n,
    stop: Array.isArray(stop) && stop.length > 0 ? stop : undefined,
    max_completion_tokens: maxTokens,
    presence_penalty: properties.presencePenalty,
    frequency_penalty: properties.frequencyPenalty,
    logit_bias: logitBias,
    user,
    response_format: responseFormat(properties.jsonResponseSchema),
    prompt_cache_retention: properties.promptCaching === true ? "24h" : undefined,
    ...toolMembers(properties),
  });
}

function responseFormat(text: JsonValue | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  const schema = tryParseJson(String(text));
  if (!isJsonObject(schema)) throw new Error("Invalid jsonResponseSchema: it must be a JSON object");
  return { type: "json_schema", json_schema: { name: "reply", strict: true, schema } };
}

function toolMembers({ functions, functionCall }: JsonObject): JsonObject {
  const wanted = optionalText(functionCall) ?? "auto";
  const tools = objectsOf(functions).map((each) => ({ type: "function", function: functionForm(each) }));
  const isMode = /^(?:auto|none)$/i.test(wanted);
  if (!isMode && !tools.some(({ function: { name } }) => name === wanted)) {
    throw new Error(`Invalid functionCall: functions have no "${wanted}"`);
  }
  if (tools.length === 0) return {};
  const choice = isMode ? wanted.toLowerCase() : { type: "function", function: { name: wanted } };
  return { tools, tool_choice: choice };
}

function functionForm({ name, description, parameters }: JsonObject): JsonObject {
  const properties: JsonObject = {};
  const list = objectsOf(parameters);
  for (const { name: own, description: text, type, enumValues } of list) {
    const form = given({ type, description: text, enum: enumValues });
    setOwnProperty(properties, String(own), form);
  }
  const required = list.filter((each) => String(each.required) === "true").map((each) => String(each.name));
  return given({ name, description, parameters: { type: "object", properties, required } });
}
