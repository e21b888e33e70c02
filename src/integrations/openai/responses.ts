/** `openai.Responses`. Shape: platform.openai.com/docs/api-reference/responses. */
import { type JsonObject, type JsonValue, objectsOf } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { given, textIn } from "../ai/models/model_calls.ts";
import { callOpenAi, OPENAI_METRICS, OPENAI_PROPERTIES, reportOpenAiUsage } from "./client.ts";

/** The built-in tools of OpenAI, such as searches of the web, work on its servers. */
export const openAiResponses = defineTask({
  type: "openai.Responses",
  title: "Get a response of a model of OpenAI",
  description:
    "Lets a model of OpenAI respond, also with the built-in tools of OpenAI, such as `web_search`.",
  properties: {
    ...OPENAI_PROPERTIES,
    model: dynamicText("Name of the model.", { required: true }),
    input: dynamicProperty("any", "What the user says: a text, or a list of messages.", { required: true }),
    text: dynamicProperty("map", "Form of the text, such as `format`."),
    tools: dynamicProperty("list", "Tools as the API declares them, such as `{type: web_search}`."),
    toolChoice: dynamicText("Whether tools are used.", { values: ["NONE", "AUTO", "REQUIRED"] }),
    store: dynamicFlag(true, "Whether OpenAI keeps the response."),
    previousResponseId: dynamicText("Id of the response that this one continues."),
    promptId: dynamicText("Id of a stored prompt."),
    promptVariables: dynamicProperty("map", "Variables of the stored prompt."),
    reasoning: dynamicProperty("map", "Options of reasoning, such as `effort`."),
    maxOutputTokens: dynamicProperty("integer", "Most tokens of the response.", { minimum: 1 }),
    temperature: dynamicProperty("number", "Randomness, from 0 to 2.", { minimum: 0, maximum: 2 }),
    topP: dynamicProperty("number", "Chooses among the most likely tokens of this total probability."),
    parallelToolCalls: dynamicProperty("boolean", "Whether tools may be called together."),
    promptCaching: dynamicFlag(false, "Keeps the beginning of the prompt in the cache for a day."),
  },
  outputs: {
    responseId: { type: "string", description: "Id of the response." },
    outputText: { type: "string", description: "The text." },
    sources: { type: "list", description: "Addresses that the text cites." },
    rawResponse: { type: "map", description: "The response as the API gives it." },
  },
  metrics: OPENAI_METRICS,
  examples: [{
    title: "Search the web",
    yaml: `id: news
type: io.svc.plugin.openai.Responses
apiKey: "{{ secret('OPENAI_API_KEY') }}"
model: gpt-5-mini
input: "What happened today in {{ inputs.city }}?"
tools:
  - type: web_search`,
  }],
  async run(context): Promise<JsonObject> {
    const body = await callOpenAi(context, {
      path: "responses",
      operation: `get a response of "${context.properties.model}"`,
      json: requestOf(context.properties),
    });
    reportOpenAiUsage(context, body.usage);
    const content = objectsOf(body.output).flatMap((item) =>
      item.type === "message" ? objectsOf(item.content) : []
    );
    const texts = content.filter(({ type }) => type === "output_text");
    const cited = texts.flatMap(({ annotations }) => objectsOf(annotations)).flatMap(({ url }) =>
      textIn(url) ?? []
    );
    return given({
      responseId: body.id,
      outputText: texts.map(({ text }) => textIn(text) ?? "").join(""),
      sources: cited,
      rawResponse: body,
    });
  },
});

function requestOf(properties: JsonObject): JsonObject {
  const { promptId, promptVariables, toolChoice, promptCaching } = properties;
  return given({
    model: properties.model,
    input: inputOf(properties.input),
    text: properties.text,
    tools: properties.tools,
    tool_choice: toolChoice === undefined ? undefined : String(toolChoice).toLowerCase(),
    store: properties.store,
    previous_response_id: properties.previousResponseId,
    prompt: promptId === undefined ? undefined : given({ id: promptId, variables: promptVariables }),
    reasoning: properties.reasoning,
    max_output_tokens: properties.maxOutputTokens,
    temperature: properties.temperature,
    top_p: properties.topP,
    parallel_tool_calls: properties.parallelToolCalls,
    prompt_cache_retention: promptCaching === true ? "24h" : undefined,
    user: properties.user,
  });
}

/** Roles may be in capitals. */
function inputOf(input: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(input)) return input;
  return objectsOf(input).map((message) =>
    typeof message.role === "string" ? { ...message, role: message.role.toLowerCase() } : message
  );
}
