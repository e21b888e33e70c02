/** `ai.completion.Classification`. */
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineServerTask } from "../../model/tasks/server_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { guarded, GUARDRAIL_OUTPUTS } from "./agent/guardrails.ts";
import { USAGE_OUTPUTS } from "./agent/outputs.ts";
import { askOnce, SINGLE_METRICS, SINGLE_PROPERTIES } from "./single_reply.ts";

/** The reply of the model is the output, whether it is a class or not. */
export const classification = defineServerTask({
  type: "ai.completion.Classification",
  aliases: ["langchain4j.Classification", "langchain4j.completion.Classification"],
  title: "Classify a text",
  description: "Asks a language model to which class a text belongs.",
  properties: {
    ...SINGLE_PROPERTIES,
    classes: dynamicProperty("list", "The classes.", { required: true, items: dynamicText("A class.") }),
    systemMessage: dynamicText("Instructions for the model, instead of those with the classes."),
  },
  outputs: {
    classification: { type: "string", description: "The class." },
    ...USAGE_OUTPUTS,
    ...GUARDRAIL_OUTPUTS,
  },
  metrics: SINGLE_METRICS,
  examples: [{
    title: "Find the mood of a review",
    yaml: `id: mood
type: io.svc.plugin.ai.completion.Classification
provider:
  type: io.svc.plugin.ai.provider.GoogleGemini
  apiKey: "{{ secret('GEMINI_API_KEY') }}"
  modelName: gemini-2.5-flash
prompt: "{{ inputs.review }}"
classes: [positive, neutral, negative]`,
  }],
  run: (context) =>
    guarded(context, async () => {
      const { classes, systemMessage } = context.properties;
      const names = (Array.isArray(classes) ? classes : []).map(String).join(", ");
      const system = optionalText(systemMessage) ??
        `Respond with exactly one of these classes, and nothing else: ${names}`;
      const { text, outputs } = await askOnce(context, { system });
      return { classification: text.trim(), ...outputs };
    }),
});
