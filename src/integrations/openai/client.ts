/** Requests to the API of OpenAI. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { MetricDeclaration } from "../../model/flows/type_declaration.ts";
import type { TaskContext } from "../../model/tasks/task_definition.ts";
import { callModel, count, objectOf, urlOf } from "../ai/models/model_calls.ts";

/** Properties of all types. */
export const OPENAI_PROPERTIES: PropertySchemas = Object.freeze({
  apiKey: dynamicText("API key; keep it as a secret.", { required: true }),
  user: dynamicText("Id of the user for whom the model works."),
  clientTimeout: dynamicProperty("integer", "Longest wait for the first byte of the reply, in seconds.", {
    default: 120,
    minimum: 1,
    maximum: 3_600,
  }),
  baseUrl: dynamicText("Address of the API, for servers that have the same one.", {
    default: "https://api.openai.com/v1",
  }),
});

/** Metrics of texts. */
export const OPENAI_METRICS: Readonly<Record<string, MetricDeclaration>> = Object.freeze({
  "usage.prompt.tokens": { type: "counter", description: "Tokens of the prompt." },
  "usage.completion.tokens": { type: "counter", description: "Tokens of the reply." },
  "usage.total.tokens": { type: "counter", description: "All tokens." },
  "usage.prompt.cached_tokens": { type: "counter", description: "Tokens of the prompt that were cached." },
});

/** Posts JSON. @throws Error with host and words of the server */
export async function callOpenAi(
  context: TaskContext,
  { path, operation, json }: { readonly path: string; readonly operation: string; readonly json: JsonObject },
): Promise<JsonObject> {
  const { baseUrl, apiKey, clientTimeout } = context.properties;
  return await callModel(context, {
    operation,
    url: urlOf(String(baseUrl), path),
    headers: authorization(apiKey),
    secrets: [String(apiKey)],
    json,
    timeoutMs: Number(clientTimeout) * 1000,
  });
}

/** The header with the key. */
export function authorization(apiKey: JsonValue | undefined): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${apiKey}` };
}

/** Reports tokens, by the names of the API for chats or by those for responses. */
export function reportOpenAiUsage(context: TaskContext, usage: JsonValue | undefined): void {
  if (usage === undefined || usage === null) return;
  const { prompt_tokens, input_tokens, completion_tokens, output_tokens, total_tokens, ...details } =
    objectOf(usage);
  context.metric("usage.prompt.tokens", count(prompt_tokens ?? input_tokens));
  context.metric("usage.completion.tokens", count(completion_tokens ?? output_tokens));
  context.metric("usage.total.tokens", count(total_tokens));
  const cached = objectOf(details.prompt_tokens_details ?? details.input_tokens_details).cached_tokens;
  if (cached !== undefined) context.metric("usage.prompt.cached_tokens", count(cached));
}
