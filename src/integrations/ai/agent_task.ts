/** `ai.agent.AIAgent`. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { checkPrompt, checkReply, guarded, GUARDRAILS } from "./agent/guardrails.ts";
import { AGENT_METRICS, AGENT_OUTPUTS, conversationOutputs } from "./agent/outputs.ts";
import { CHAT_CONFIGURATION } from "./configuration.ts";
import { OBSERVABILITY } from "./observability.ts";
import { partProperty, partsProperty } from "./part.ts";

/** The rounds with tools are limited, so that a loop of the model ends. */
export const aiAgent = defineServerTask({
  type: "ai.agent.AIAgent",
  title: "Let a model work with tools",
  description:
    "Gives a prompt to a language model, which can use tools in several rounds, with what retrievers find and a memory of earlier executions.",
  properties: {
    provider: partProperty("provider", "Model.", { required: true }),
    prompt: dynamicText("What the agent shall do.", { required: true }),
    systemMessage: dynamicText("Instructions for the model."),
    configuration: CHAT_CONFIGURATION,
    tools: partsProperty("tool", "What the model can use."),
    maxSequentialToolsInvocations: dynamicProperty(
      "integer",
      "Most rounds with calls of tools; default is 100. More end the task FAILED.",
      { minimum: 1 },
    ),
    contentRetrievers: partsProperty("retriever", "What is searched for the prompt, always."),
    memory: partProperty("memory", "What is remembered between executions."),
    guardrails: GUARDRAILS,
    observability: OBSERVABILITY,
    outputFiles: dynamicProperty("list", "Files that tools write: the tools of this server write none.", {
      ignored: true,
    }),
  },
  outputs: {
    ...AGENT_OUTPUTS,
    outputFiles: { type: "map", description: "Files that tools wrote; always empty." },
  },
  metrics: AGENT_METRICS,
  examples: [{
    title: "Research a topic in the web",
    yaml: `id: agent
type: io.svc.plugin.ai.agent.AIAgent
provider:
  type: io.svc.plugin.ai.provider.GoogleGemini
  apiKey: "{{ secret('GEMINI_API_KEY') }}"
  modelName: gemini-2.5-flash
systemMessage: Answer in three sentences, with sources.
prompt: "{{ inputs.topic }}"
tools:
  - type: io.svc.plugin.ai.tool.TavilyWebSearch
    apiKey: "{{ secret('TAVILY_API_KEY') }}"
  - type: io.svc.plugin.ai.tool.StreamableHttpMcpClient
    url: https://mcp.example.com/mcp
    headers:
      Authorization: "Bearer {{ secret('MCP_TOKEN') }}"`,
  }, {
    title: "Get JSON of a schema",
    yaml: `id: classify
type: io.svc.plugin.ai.agent.AIAgent
provider:
  type: io.svc.plugin.ai.provider.OpenAI
  apiKey: "{{ secret('OPENAI_API_KEY') }}"
  modelName: gpt-5-mini
prompt: "Classify the ticket: {{ inputs.ticket }}"
configuration:
  responseFormat:
    type: JSON
    jsonSchema:
      type: object
      required: [category]
      properties:
        category: {type: string, enum: [ACCOUNT, BILLING, TECHNICAL]}
guardrails:
  input:
    - expression: "{{ message | length < 10000 }}"
      message: The ticket is too long`,
  }],
  run: (context) => guarded(context, () => work(context)),
});

async function work(context: ServerTaskContext): Promise<JsonObject> {
  const { provider, prompt, systemMessage, configuration, tools, maxSequentialToolsInvocations } =
    context.properties;
  const { contentRetrievers, memory } = context.properties;
  const text = String(prompt);
  await checkPrompt(context, text);
  const { runAgent } = await import("./agent/run_agent.ts");
  const { result, configuration: { options }, sources } = await runAgent(context, {
    provider,
    configuration,
    system: optionalText(systemMessage),
    blocks: [{ type: "text", text }],
    tools,
    retrievers: contentRetrievers,
    memory,
    maxRounds: maxSequentialToolsInvocations,
  });
  await checkReply(context, result.reply);
  return { ...conversationOutputs(context, result, { options, sources }), outputFiles: {} };
}
