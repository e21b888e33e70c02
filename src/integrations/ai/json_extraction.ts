/** `ai.completion.JSONStructuredExtraction`. */
import type { JsonObject } from "../../base/json.ts";
import { setOwnProperty } from "../../base/json.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineServerTask } from "../../model/tasks/server_task.ts";
import { guarded, GUARDRAIL_OUTPUTS } from "./agent/guardrails.ts";
import { USAGE_OUTPUTS } from "./agent/outputs.ts";
import { askOnce, SINGLE_METRICS, SINGLE_PROPERTIES } from "./single_reply.ts";

/** `extractedJson` is a text; all fields are texts. */
export const jsonExtraction = defineServerTask({
  type: "ai.completion.JSONStructuredExtraction",
  aliases: ["langchain4j.JSONStructuredExtraction", "langchain4j.completion.JSONStructuredExtraction"],
  title: "Extract fields of a text",
  description: "Lets a language model extract fields of a text as JSON.",
  properties: {
    ...SINGLE_PROPERTIES,
    schemaName: dynamicText("Name of the schema.", { required: true }),
    jsonFields: dynamicProperty("list", "Names of the fields.", {
      required: true,
      items: dynamicText("A field."),
    }),
    systemMessage: dynamicText("Instructions for the model.", {
      default: "You are a structured JSON extraction assistant. Always respond with valid JSON.",
    }),
  },
  outputs: {
    schemaName: { type: "string", description: "Name of the schema." },
    extractedJson: { type: "string", description: "The fields, as the text of a JSON object." },
    ...USAGE_OUTPUTS,
    ...GUARDRAIL_OUTPUTS,
  },
  metrics: SINGLE_METRICS,
  examples: [{
    title: "Read a person out of a text",
    yaml: `id: person
type: io.svc.plugin.ai.completion.JSONStructuredExtraction
provider:
  type: io.svc.plugin.ai.provider.OpenAI
  apiKey: "{{ secret('OPENAI_API_KEY') }}"
  modelName: gpt-5-mini
schemaName: Person
jsonFields: [name, city]
prompt: "{{ inputs.text }}"`,
  }],
  run: (context) =>
    guarded(context, async () => {
      const { schemaName, jsonFields, systemMessage } = context.properties;
      const fields = (Array.isArray(jsonFields) ? jsonFields : []).map(String);
      const name = String(schemaName);
      const json = { name: name.replaceAll(/[^\w-]/g, "_"), schema: schemaOf(fields), isStrict: false };
      const { text, outputs } = await askOnce(context, { system: String(systemMessage), json });
      return { schemaName: name, extractedJson: text, ...outputs };
    }),
});

function schemaOf(fields: readonly string[]): JsonObject {
  const properties: JsonObject = {};
  for (const field of fields) setOwnProperty(properties, field, { type: "string" });
  return { type: "object", properties, required: [...fields], additionalProperties: false };
}
