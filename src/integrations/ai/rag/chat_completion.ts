/** `ai.rag.ChatCompletion`. */
import type { JsonObject } from "../../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import { defineServerTask, type ServerTaskContext } from "../../../model/tasks/server_task.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { checkPrompt, checkReply, guarded, GUARDRAILS } from "../agent/guardrails.ts";
import { AGENT_METRICS, AGENT_OUTPUTS, conversationOutputs } from "../agent/outputs.ts";
import type { Source } from "../agent/source.ts";
import { CHAT_CONFIGURATION } from "../configuration.ts";
import { partProperty, partsProperty } from "../part.ts";

const SEARCH: PropertySchemas = {
  maxResults: dynamicProperty("integer", "Most texts of the store.", { default: 3, minimum: 1 }),
  minScore: dynamicProperty("number", "Least similarity, from 0 to 1.", {
    default: 0,
    minimum: 0,
    maximum: 1,
  }),
};

/** `completion` is the former name of `textOutput`. */
export const ragChatCompletion = defineServerTask({
  type: "ai.rag.ChatCompletion",
  aliases: ["langchain4j.rag.ChatCompletion"],
  title: "Ask a model about stored texts",
  description: "Adds texts of a store of embeddings and of retrievers to the prompt of a language model.",
  properties: {
    chatProvider: partProperty("provider", "Model that replies.", { required: true }),
    prompt: dynamicText("What the user says.", { required: true }),
    systemMessage: dynamicText("Instructions for the model."),
    embeddings: partProperty("embeddings", "The store; required without `contentRetrievers`."),
    embeddingProvider: partProperty("provider", "Model of the embeddings; default is `chatProvider`."),
    contentRetrieverConfiguration: dynamicProperty("object", "How the store is searched.", {
      properties: SEARCH,
    }),
    contentRetrievers: partsProperty("retriever", "What else is searched for the prompt."),
    chatConfiguration: CHAT_CONFIGURATION,
    tools: partsProperty("tool", "What the model can use."),
    memory: partProperty("memory", "What is remembered between executions."),
    guardrails: GUARDRAILS,
  },
  outputs: {
    ...AGENT_OUTPUTS,
    completion: { type: "string", description: "Former name of `textOutput`." },
  },
  metrics: {
    ...AGENT_METRICS,
    "ai.embedding.store.calls": { type: "counter", description: "Uses of a store, by `store`." },
  },
  examples: [{
    title: "Answer questions about stored documents",
    yaml: `id: answer
type: io.svc.plugin.ai.rag.ChatCompletion
chatProvider:
  type: io.svc.plugin.ai.provider.GoogleGemini
  apiKey: "{{ secret('GEMINI_API_KEY') }}"
  modelName: gemini-2.5-flash
embeddingProvider:
  type: io.svc.plugin.ai.provider.GoogleGemini
  apiKey: "{{ secret('GEMINI_API_KEY') }}"
  modelName: gemini-embedding-001
embeddings:
  type: io.svc.plugin.ai.embeddings.KestraKVStore
systemMessage: Use only the given information.
prompt: "{{ inputs.question }}"`,
  }],
  run: (context) => guarded(context, () => complete(context)),
});

async function complete(context: ServerTaskContext): Promise<JsonObject> {
  const {
    chatProvider,
    prompt,
    systemMessage,
    embeddings,
    chatConfiguration,
    tools,
    memory,
    contentRetrievers,
  } = context.properties;
  const text = String(prompt);
  const hasRetrievers = Array.isArray(contentRetrievers) && contentRetrievers.length > 0;
  if (embeddings === undefined && !hasRetrievers) {
    throw new Error("Nothing to search: give embeddings or contentRetrievers");
  }
  await checkPrompt(context, text);
  const { runAgent } = await import("../agent/run_agent.ts");
  const { result, configuration: { options }, sources } = await runAgent(context, {
    provider: chatProvider,
    configuration: chatConfiguration,
    system: optionalText(systemMessage),
    blocks: [{ type: "text", text }],
    tools,
    memory,
    retrievers: contentRetrievers,
    sources: embeddings === undefined ? [] : await storedTexts(context, text),
  });
  await checkReply(context, result.reply);
  const outputs = conversationOutputs(context, result, { options, sources });
  return { ...outputs, ...outputs.textOutput !== undefined && { completion: outputs.textOutput } };
}

async function storedTexts(context: ServerTaskContext, query: string): Promise<Source[]> {
  const { embeddings, embeddingProvider, chatProvider, contentRetrieverConfiguration } = context.properties;
  const { maxResults = 3, minScore = 0 } = (contentRetrieverConfiguration ?? {}) as JsonObject;
  const { searchStore } = await import("./search_store.ts");
  return await searchStore(context, {
    embeddings: embeddings as JsonObject,
    provider: (embeddingProvider ?? chatProvider) as JsonObject,
    query,
    maxResults: Number(maxResults),
    minScore: Number(minScore),
  });
}
