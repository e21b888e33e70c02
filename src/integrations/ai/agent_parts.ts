/** Tools, retrievers and memories of agents, as flows declare them. */
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { PartType } from "../../model/tasks/task_catalog.ts";
import { CHAT_CONFIGURATION } from "./configuration.ts";
import { definePart, partProperty, partsProperty, refusedPart } from "./part.ts";

const TAVILY_KEY: PropertySchemas = {
  apiKey: dynamicText("Key of the API of Tavily; keep it as a secret.", { required: true }),
};
const GOOGLE_KEYS: PropertySchemas = {
  apiKey: dynamicText("Key of the API of Google; keep it as a secret.", { required: true }),
  csi: dynamicText("Id of the search engine.", { required: true }),
};
const MAX_RESULTS: PropertySchemas = {
  maxResults: dynamicProperty("integer", "Most results.", { default: 3, minimum: 1 }),
};

/** Properties of connections to MCP servers. */
export const MCP_PROPERTIES: PropertySchemas = {
  headers: dynamicProperty("map", "Headers of each request, such as `Authorization`."),
  timeout: dynamicProperty("duration", "Longest wait for the server; default is a minute."),
  logRequests: dynamicFlag(false, "Writes requests to the log.", { ignored: true }),
  logResponses: dynamicFlag(false, "Writes responses to the log.", { ignored: true }),
};

const AUTH: PropertySchemas = {
  apiToken: dynamicText("Token; keep it as a secret."),
  username: dynamicText("Name of a user, instead of a token."),
  password: dynamicText("Password of the user; keep it as a secret."),
  auto: dynamicFlag(true, "Takes credentials of the configuration.", { ignored: true }),
};

const FLOW_PROPERTIES: PropertySchemas = {
  namespace: dynamicText("Namespace of the flow; without it the model names a flow."),
  flowId: dynamicText("Id of the flow."),
  description: dynamicText("What the flow does, for the model; default is its own description."),
  inputs: dynamicProperty("map", "Inputs that the model does not give."),
  labels: dynamicProperty("list", "Labels of the executions.", {
    items: dynamicProperty("object", "A label.", {
      properties: {
        key: dynamicText("Key.", { required: true }),
        value: dynamicText("Value.", { required: true }),
      },
    }),
  }),
  inheritLabels: dynamicFlag(false, "Whether executions have the labels of this one."),
  kestraUrl: dynamicText("Address of the server whose flow is started: of this one, or of another."),
  auth: dynamicProperty("object", "Credentials for that server.", { properties: AUTH }),
  tenantId: dynamicText("Tenant of the flow; default is that of the execution."),
  revision: dynamicProperty("integer", "Revision of the flow.", { planned: true }),
  scheduleDate: dynamicProperty("dateTime", "Date of the execution.", { planned: true }),
};

/** Properties of MCP servers that are programs. */
const PROGRAM_PROPERTIES: PropertySchemas = {
  env: dynamicProperty("map", "Variables of the environment; keep passwords as secrets.", {
    items: dynamicText("Value of a variable."),
  }),
  timeout: dynamicProperty("duration", "Longest wait for the server; default is a minute."),
  logEvents: dynamicFlag(false, "Has no effect: error output is logged with the level DEBUG.", {
    ignored: true,
  }),
};

/** Containers run at the service of the server, with its log-ins. */
const OTHER_SERVICE: PropertySchemas = Object.fromEntries(
  [
    ...["apiVersion", "dockerCertPath", "dockerConfig", "dockerContext", "dockerHost", "dockerTlsVerify"],
    ...["registryEmail", "registryPassword", "registryUrl", "registryUsername"],
  ].map((name) => [name, dynamicText("Another container service, or its log-in.", { planned: true })]),
);

/** The tools. */
export const TOOLS: readonly PartType[] = Object.freeze([
  definePart("tool", "TavilyWebSearch", {
    description: "Searches the web with Tavily, when the model calls this tool.",
    properties: TAVILY_KEY,
    aliases: ["langchain4j.tool.TavilyWebSearch"],
  }),
  definePart("tool", "GoogleCustomWebSearch", {
    description: "Searches the web with Google, when the model calls this tool.",
    properties: GOOGLE_KEYS,
    aliases: ["langchain4j.tool.GoogleCustomWebSearch"],
  }),
  definePart("tool", "StreamableHttpMcpClient", {
    description: "The tools of a server of the Model Context Protocol, over streamable HTTP.",
    properties: { url: dynamicText("Address of the server.", { required: true }), ...MCP_PROPERTIES },
  }),
  definePart("tool", "SseMcpClient", {
    description: "The tools of a server of the Model Context Protocol, over its older transport with events.",
    properties: { sseUrl: dynamicText("Address of the events.", { required: true }), ...MCP_PROPERTIES },
    aliases: ["langchain4j.tool.HttpMcpClient", "ai.tool.HttpMcpClient"],
  }),
  definePart("tool", "KestraFlow", {
    description:
      "Starts executions of a flow, when the model calls this tool. The model gets the id of the execution.",
    properties: FLOW_PROPERTIES,
  }),
  definePart("tool", "AIAgent", {
    description: "Another agent with a provider and tools of its own.",
    properties: {
      name: dynamicText("Name of the agent, when there are several.", { default: "tool" }),
      description: dynamicText("What the agent does, for the model that calls it.", { required: true }),
      systemMessage: dynamicText("Instructions for the agent."),
      provider: partProperty("provider", "Model of the agent.", { required: true }),
      configuration: CHAT_CONFIGURATION,
      tools: partsProperty("tool", "Tools of the agent."),
      contentRetrievers: partsProperty("retriever", "What is searched for each prompt."),
      maxSequentialToolsInvocations: dynamicProperty("integer", "Most rounds with calls of tools.", {
        minimum: 1,
      }),
    },
    example: `type: io.svc.plugin.ai.tool.AIAgent
description: Searches the web
provider:
  type: io.svc.plugin.ai.provider.OpenAI
  apiKey: "{{ secret('OPENAI_API_KEY') }}"
  modelName: gpt-5-mini`,
  }),
  definePart("tool", "StdioMcpClient", {
    description:
      "The tools of a program that is a server of the Model Context Protocol. It runs as scripts do, while the agent works.",
    properties: {
      command: dynamicProperty("list", "Program and arguments.", {
        required: true,
        items: dynamicText("One of them."),
      }),
      ...PROGRAM_PROPERTIES,
    },
    example: `type: io.svc.plugin.ai.tool.StdioMcpClient
command: [npx, -y, "@modelcontextprotocol/server-everything"]`,
    aliases: ["langchain4j.tool.StdioMcpClient"],
  }),
  definePart("tool", "DockerMcpClient", {
    description:
      "The tools of a container that is a server of the Model Context Protocol. It runs as those of scripts do, while the agent works.",
    properties: {
      image: dynamicText("Image of the container.", { required: true }),
      command: dynamicProperty("list", "Arguments of the entry point of the image.", {
        items: dynamicText("One of them."),
      }),
      binds: dynamicProperty(
        "list",
        "Folders of the machine, `/path:/path/within` each; need --container-allow volumes.",
        { items: dynamicText("One of them.") },
      ),
      ...PROGRAM_PROPERTIES,
      ...OTHER_SERVICE,
    },
  }),
  refusedPart(
    "tool",
    "CodeExecution",
    "agents run no code; run it in a scripts task, and start that flow with `ai.tool.KestraFlow`",
  ),
  refusedPart(
    "tool",
    "PythonExecution",
    "agents run no code; run it in a scripts task, and start that flow with `ai.tool.KestraFlow`",
  ),
  refusedPart("tool", "KestraTask", "put the task into a flow, and start that with `ai.tool.KestraFlow`"),
  refusedPart(
    "tool",
    "A2AClient",
    "use `ai.tool.StreamableHttpMcpClient`, or an HTTP request before the agent",
  ),
  refusedPart("tool", "Skill", "put the instructions into `systemMessage`"),
]);

/** The retrievers. */
export const RETRIEVERS: readonly PartType[] = Object.freeze([
  definePart("retriever", "TavilyWebSearch", {
    description: "Searches the web for each prompt with Tavily.",
    properties: { ...TAVILY_KEY, ...MAX_RESULTS },
    aliases: ["langchain4j.retriever.TavilyWebSearch"],
  }),
  definePart("retriever", "GoogleCustomWebSearch", {
    description: "Searches the web for each prompt with Google.",
    properties: { ...GOOGLE_KEYS, ...MAX_RESULTS },
    aliases: ["langchain4j.retriever.GoogleCustomWebSearch"],
  }),
  definePart("retriever", "EmbeddingStoreRetriever", {
    description: "Searches a store of embeddings for each prompt.",
    properties: {
      embeddings: partProperty("embeddings", "The store.", { required: true }),
      embeddingProvider: partProperty("provider", "Model of the embeddings.", { required: true }),
      ...MAX_RESULTS,
      minScore: dynamicProperty("number", "Least similarity, from 0 to 1.", {
        default: 0,
        minimum: 0,
        maximum: 1,
      }),
    },
    example: `type: io.svc.plugin.ai.retriever.EmbeddingStoreRetriever
embeddings:
  type: io.svc.plugin.ai.embeddings.KestraKVStore
embeddingProvider:
  type: io.svc.plugin.ai.provider.OpenAI
  apiKey: "{{ secret('OPENAI_API_KEY') }}"
  modelName: text-embedding-3-small`,
  }),
  refusedPart(
    "retriever",
    "SqlDatabaseRetriever",
    "query the database with a task of jdbc, and put the rows into the prompt",
  ),
]);

const MEMORY_INSTEAD = "use `ai.memory.KestraKVStore`";

/** The memories. */
export const MEMORIES: readonly PartType[] = Object.freeze([
  definePart("memory", "KestraKVStore", {
    description: "Keeps the conversation in a KV pair of the namespace.",
    aliases: ["langchain4j.memory.KestraKVMemory", "ai.memory.KestraKVMemory"],
    properties: {
      memoryId: dynamicText("Key of the pair; default is the correlation id of the execution."),
      messages: dynamicProperty("integer", "Messages that are remembered.", {
        default: 10,
        minimum: 1,
        maximum: 1_000,
      }),
      ttl: dynamicProperty("duration", "How long the pair lives after its last change.", { default: "PT1H" }),
      drop: dynamicText("When the conversation is forgotten.", {
        values: ["NEVER", "BEFORE_TASKRUN", "AFTER_TASKRUN"],
        default: "NEVER",
      }),
    },
  }),
  refusedPart("memory", "Redis", MEMORY_INSTEAD),
  refusedPart("memory", "PostgreSQL", MEMORY_INSTEAD),
]);
