/** `gemini.…`: completions by models of Google. Shape: ai.google.dev/api/generate-content. */
import { isJsonObject, type JsonObject, objectsOf, tryParseJson } from "../../base/json.ts";
import {
  dynamicContent,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import type { MetricDeclaration } from "../../model/flows/type_declaration.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { GEMINI_URL, GeminiModel, geminiSchema } from "../ai/models/gemini_model.ts";
import { count, given, objectOf, textIn } from "../ai/models/model_calls.ts";

const ACCESS: PropertySchemas = {
  apiKey: dynamicText("API key; keep it as a secret.", { required: true }),
  model: dynamicText("Name of the model.", { required: true }),
  baseUrl: dynamicText("Address of the API.", { default: GEMINI_URL }),
};

const METRICS: Readonly<Record<string, MetricDeclaration>> = {
  "prompt.token.count": { type: "counter", description: "Tokens of the prompt." },
  "candidate.token.count": { type: "counter", description: "Tokens of the reply." },
  "total.token.count": { type: "counter", description: "All tokens." },
};

const PREDICTIONS: PropertySchemas = {
  predictions: {
    type: "list",
    description: "Replies: `content`, `safetyRatings` and `citationMetadata`.",
  },
};

const MESSAGE: PropertySchemas = {
  type: dynamicText("Who says it.", { required: true, values: ["SYSTEM", "USER", "AI"] }),
  content: dynamicText("The text.", { required: true }),
};

/** The conversation is sent at once; the reply is one prediction. */
export const geminiChatCompletion = defineTask({
  type: "gemini.ChatCompletion",
  title: "Continue a conversation with Gemini",
  description: "Sends messages to a model of Google, which replies to the last one.",
  properties: {
    ...ACCESS,
    messages: dynamicProperty("list", "The conversation.", {
      required: true,
      items: dynamicProperty("object", "A message.", { properties: MESSAGE }),
    }),
  },
  outputs: PREDICTIONS,
  metrics: METRICS,
  examples: [{
    title: "Ask a model",
    yaml: `id: chat
type: io.svc.plugin.gemini.ChatCompletion
apiKey: "{{ secret('GEMINI_API_KEY') }}"
model: gemini-2.5-flash
messages:
  - type: SYSTEM
    content: Answer in one sentence.
  - type: USER
    content: "{{ inputs.question }}"`,
  }],
  async run(context) {
    const messages = objectsOf(context.properties.messages);
    const systems = messages.filter(({ type }) => type === "SYSTEM");
    const contents = messages.filter(({ type }) => type !== "SYSTEM").map(({ type, content }) => ({
      role: type === "AI" ? "model" : "user",
      parts: [{ text: String(content) }],
    }));
    if (contents.length === 0) throw new Error("Invalid messages: there must be one of the type USER");
    const system = systems.map(({ content }) => ({ text: String(content) }));
    const body = await generate(
      context,
      given({ contents, systemInstruction: system.length === 0 ? undefined : { parts: system } }),
    );
    return { predictions: predictionsOf(body) };
  },
});

/** One prompt, one prediction. */
export const geminiTextCompletion = defineTask({
  type: "gemini.TextCompletion",
  title: "Complete a text with Gemini",
  description: "Sends a prompt to a model of Google.",
  properties: { ...ACCESS, prompt: dynamicText("What the user says.", { required: true }) },
  outputs: PREDICTIONS,
  metrics: METRICS,
  async run(context) {
    const body = await generate(context, { contents: contentsOf(context.properties) });
    return { predictions: predictionsOf(body) };
  },
});

/** The predictions are texts of JSON. */
export const geminiStructuredOutput = defineTask({
  type: "gemini.StructuredOutputCompletion",
  title: "Get JSON of Gemini",
  description: "Lets a model of Google reply with JSON by a schema.",
  properties: {
    ...ACCESS,
    prompt: dynamicText("What the user says.", { required: true }),
    jsonResponseSchema: dynamicContent("JSON Schema of the reply.", { required: true }),
  },
  outputs: {
    predictions: {
      type: "list",
      description: "Texts of JSON.",
      items: { type: "string", description: "A text." },
    },
  },
  metrics: METRICS,
  examples: [{
    title: "Read a receipt",
    yaml: `id: receipt
type: io.svc.plugin.gemini.StructuredOutputCompletion
apiKey: "{{ secret('GEMINI_API_KEY') }}"
model: gemini-2.5-flash
prompt: "Which shop and which sum: {{ inputs.text }}"
jsonResponseSchema: |
  {"type": "object", "properties": {"shop": {"type": "string"}, "sum": {"type": "number"}}}`,
  }],
  async run(context): Promise<JsonObject> {
    const schema = tryParseJson(String(context.properties.jsonResponseSchema));
    if (!isJsonObject(schema)) throw new Error("Invalid jsonResponseSchema: it must be a JSON object");
    const generationConfig = { responseMimeType: "application/json", responseSchema: geminiSchema(schema) };
    const body = await generate(context, { contents: contentsOf(context.properties), generationConfig });
    return { predictions: predictionsOf(body).map(({ content = "" }) => content) };
  },
});

function contentsOf({ prompt }: JsonObject): JsonObject[] {
  return [{ role: "user", parts: [{ text: String(prompt) }] }];
}

async function generate(context: TaskContext, json: JsonObject): Promise<JsonObject> {
  const { apiKey, model, baseUrl } = context.properties;
  const gemini = new GeminiModel(context, {
    modelName: String(model),
    apiKey: String(apiKey),
    baseUrl: String(baseUrl),
  });
  const body = await gemini.generate(json);
  const { promptTokenCount, candidatesTokenCount, totalTokenCount } = objectOf(body.usageMetadata);
  context.metric("prompt.token.count", count(promptTokenCount));
  context.metric("candidate.token.count", count(candidatesTokenCount));
  context.metric("total.token.count", count(totalTokenCount));
  const reason = textIn(objectOf(body.promptFeedback).blockReason);
  if (reason !== undefined) {
    throw new Error(`Cannot complete the prompt with ${gemini.title}: it was refused: ${reason}`);
  }
  return body;
}

function predictionsOf(body: JsonObject): JsonObject[] {
  return objectsOf(body.candidates).map(({ content, safetyRatings, citationMetadata }) =>
    given({
      content: objectsOf(objectOf(content).parts).map(({ text }) => textIn(text) ?? "").join(""),
      safetyRatings,
      citationMetadata,
    })
  );
}
