/** `configuration` of the types that use language models. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import type { ChatOptions, JsonFormat } from "./models/chat.ts";

const RESPONSE_FORMAT: PropertySchemas = {
  type: dynamicText("Form of the reply.", { values: ["TEXT", "JSON"], default: "TEXT" }),
  jsonSchema: dynamicProperty("map", "JSON Schema of the reply, with `JSON`."),
  jsonSchemaDescription: dynamicText("What the reply is, for the model."),
  strictJson: dynamicFlag(false, "Makes providers enforce the schema, where they can."),
};

/** Options of a reply. */
export const CHAT_CONFIGURATION: PropertySchema = dynamicProperty("object", "How the model replies.", {
  properties: {
    temperature: dynamicProperty("number", "Randomness; 0 is the least."),
    topK: dynamicProperty("integer", "Chooses among so many of the most likely tokens.", { minimum: 1 }),
    topP: dynamicProperty("number", "Chooses among the most likely tokens of this total probability."),
    seed: dynamicProperty("integer", "Same seed and options: similar replies."),
    maxToken: dynamicProperty("integer", "Most tokens of a reply.", { minimum: 1 }),
    thinkingEnabled: dynamicProperty("boolean", "Whether the model thinks; default is its own."),
    thinkingBudgetTokens: dynamicProperty("integer", "Most tokens for thinking.", { minimum: 0 }),
    returnThinking: dynamicFlag(false, "Whether `thinking` is an output."),
    promptCaching: dynamicFlag(false, "Lets Anthropic cache the beginning of the prompt."),
    responseFormat: dynamicProperty("object", "Form of the reply.", { properties: RESPONSE_FORMAT }),
    logRequests: dynamicFlag(false, "Writes prompts to the log."),
    logResponses: dynamicFlag(false, "Writes replies to the log."),
  },
});

/** A typed configuration. */
export interface ChatConfiguration {
  readonly options: ChatOptions;
  readonly isRequestLogged: boolean;
  readonly isReplyLogged: boolean;
}

/** Reads a configuration. `provider` may limit the tokens of a reply. @throws Error a schema without `JSON` */
export function readConfiguration(value: JsonValue | undefined, provider: JsonObject): ChatConfiguration {
  const given = (value ?? {}) as JsonObject;
  const { thinkingEnabled, thinkingBudgetTokens: thinkingTokens } = given;
  const isThinking = thinkingEnabled ??
    (thinkingTokens === undefined ? undefined : Number(thinkingTokens) > 0);
  return {
    options: {
      temperature: numberOf(given.temperature),
      topK: numberOf(given.topK),
      topP: numberOf(given.topP),
      seed: numberOf(given.seed),
      maxTokens: numberOf(given.maxToken) ?? numberOf(provider.maxTokens),
      isThinking: isThinking === undefined ? undefined : isThinking === true,
      thinkingTokens: numberOf(thinkingTokens),
      isThinkingReturned: given.returnThinking === true,
      isPromptCached: given.promptCaching === true,
      json: formatOf((given.responseFormat ?? {}) as JsonObject),
    },
    isRequestLogged: given.logRequests === true,
    isReplyLogged: given.logResponses === true,
  };
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return value === undefined || value === null ? undefined : Number(value);
}

function formatOf(
  { type, jsonSchema, jsonSchemaDescription, strictJson }: JsonObject,
): JsonFormat | undefined {
  const isStrict = strictJson === true;
  if (type !== "JSON") {
    if (jsonSchema === undefined && !isStrict) return undefined;
    throw new Error("Invalid responseFormat: jsonSchema and strictJson need the type JSON");
  }
  const description = optionalText(jsonSchemaDescription);
  const schema = jsonSchema as JsonObject | undefined;
  return {
    name: "output",
    schema: schema && { ...schema, ...description !== undefined && { description } },
    isStrict,
  };
}
