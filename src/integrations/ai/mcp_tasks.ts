/** `ai.mcp.…`: the tools of an MCP server without a model. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import type { McpClient } from "./agent/mcp_client.ts";
import { MCP_PROPERTIES } from "./agent_parts.ts";
import { given } from "./models/model_calls.ts";

const SERVER: PropertySchemas = {
  url: dynamicText("Address of the server.", { required: true }),
  transport: dynamicText("`SSE` is the older transport with events.", {
    values: ["STREAMABLE_HTTP", "SSE"],
    default: "STREAMABLE_HTTP",
  }),
  ...MCP_PROPERTIES,
};

async function withClient<T>(context: ServerTaskContext, use: (client: McpClient) => Promise<T>): Promise<T> {
  const [{ McpClient }, { mcpPlace }] = await Promise.all([
    import("./agent/mcp_client.ts"),
    import("./agent/mcp_tools.ts"),
  ]);
  const { transport } = context.properties;
  const place = { ...mcpPlace(context.properties), isSse: transport === "SSE" };
  await using client = await McpClient.connect(context, place);
  return await use(client);
}

/** The tools, with the schemas of their arguments. */
export const listTools = defineServerTask({
  type: "ai.mcp.ListTools",
  title: "List the tools of an MCP server",
  description: "Lists the tools of a server of the Model Context Protocol.",
  properties: SERVER,
  outputs: {
    tools: { type: "list", description: "Tools: `name`, `description` and `parameters`, a JSON Schema." },
    count: { type: "integer", description: "Number of tools." },
  },
  async run(context): Promise<JsonObject> {
    const found = await withClient(context, (client) => client.tools());
    const tools = found.map(({ name, description, inputSchema: parameters }) => ({
      name,
      description,
      parameters,
    }));
    return { tools, count: tools.length };
  },
});

/** An error of the tool can be an output; one of the server ends the task. */
export const callTool = defineServerTask({
  type: "ai.mcp.CallTool",
  title: "Call a tool of an MCP server",
  description: "Calls a tool of a server of the Model Context Protocol.",
  properties: {
    ...SERVER,
    tool: dynamicText("Name of the tool.", { required: true }),
    arguments: dynamicProperty("map", "Arguments of the tool."),
    failOnToolError: dynamicFlag(true, "Whether an error of the tool ends the task FAILED."),
  },
  outputs: {
    result: { type: "string", description: "The texts that the tool returns." },
    structuredContent: { type: "any", description: "What the tool returns as a structure." },
    isError: { type: "boolean", description: "Whether the tool failed." },
    errorMessage: { type: "string", description: "Its error." },
  },
  metrics: { "mcp.tool.calls": { type: "counter", description: "Calls of tools, by `tool`." } },
  async run(context): Promise<JsonObject> {
    const { tool, arguments: args, failOnToolError } = context.properties;
    context.metric("mcp.tool.calls", 1, { tags: { tool: String(tool) } });
    const found = await withClient(
      context,
      (client) => client.call(String(tool), isJsonObject(args) ? args : {}),
    );
    const { resultText } = await import("./agent/mcp_client.ts");
    const result = resultText(found), isError = found.isError === true;
    if (isError && failOnToolError !== false) throw new Error(`The tool "${tool}" failed: ${result}`);
    const { structuredContent } = found;
    return given({ result, structuredContent, isError, errorMessage: isError ? result : undefined });
  },
});
