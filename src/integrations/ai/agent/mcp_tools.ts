/** The tools of an MCP server, as tools of an agent. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { readDuration } from "../../../base/time/duration.ts";
import { McpClient, type McpPlace, resultText } from "./mcp_client.ts";
import type { AgentTool, OpenTools, ToolOpener } from "./tool.ts";

/** The server that typed properties with `url` or `sseUrl` name. */
export function mcpPlace({ url, sseUrl, headers, timeout }: JsonObject): McpPlace {
  return {
    url: String(url ?? sseUrl),
    isSse: sseUrl !== undefined,
    headers: textsByName(headers),
    timeoutMs: readDuration(timeout),
  };
}

/** A map whose values are texts. */
export function textsByName(value: JsonValue | undefined): Record<string, string> {
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
    : {};
}

/** Connects, and lists the tools. */
export const openMcpTools: ToolOpener = async (context, part) => {
  return await toolsOfServer(await McpClient.connect(context, mcpPlace(part)), part);
};

/** The tools of a server, which is closed with them, or if they cannot be listed. */
export async function toolsOfServer(client: McpClient, part: JsonObject): Promise<OpenTools> {
  try {
    const tools = (await client.tools()).map(({ inputSchema, ...tool }): AgentTool => ({
      ...tool,
      type: String(part.type),
      parameters: inputSchema,
      // An error of the tool itself is for the model, which can try again.
      run: async (given) => resultText(await client.call(tool.name, given)),
    }));
    return { tools, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
  } catch (error) {
    await client[Symbol.asyncDispose]();
    throw error;
  }
}
