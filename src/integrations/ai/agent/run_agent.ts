/** Runs an agent: opens its model, tools, memory and retrievers, and leads the conversation. */
import { type JsonObject, objectsOf } from "../../../base/json.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import { readConfiguration } from "../configuration.ts";
import { type ChatMessage, type ContentBlock, textOfBlocks } from "../models/chat.ts";
import { modelOf } from "../providers.ts";
import type { AgentResult, AgentWork } from "./agent_work.ts";
import { converse } from "./conversation.ts";
import { ChatMemory } from "./memory.ts";
import { retrieve } from "./retriever.ts";
import { augmented, type Source } from "./source.ts";
import type { AgentTool, OpenTools, ToolOpener } from "./tool.ts";

/** Runs it. @throws Error a provider, a tool or a retriever fails */
export async function runAgent(context: ServerTaskContext, work: AgentWork): Promise<AgentResult> {
  const provider = work.provider as JsonObject;
  const configuration = readConfiguration(work.configuration, provider);
  const model = await modelOf(context, provider);
  context.metric("ai.provider.calls", 1, { tags: { provider: String(provider.type) } });
  const memory = work.memory ? await ChatMemory.open(context, work.memory as JsonObject) : undefined;
  const prompt = textOfBlocks(work.blocks);
  const sources = [...work.sources ?? [], ...await retrieve(context, work.retrievers, prompt)];
  await using open = await openTools(context, objectsOf(work.tools));
  const before = [...memory?.messages ?? [], ...work.history ?? []];
  const result = await converse(context, {
    model,
    configuration,
    system: work.system,
    messages: [...before, { role: "user", blocks: augmentedBlocks(work.blocks, sources) }],
    tools: open.tools,
    maxRounds: work.maxRounds === undefined ? undefined : Number(work.maxRounds),
  });
  // What retrievers found is no part of what was said.
  const said: ChatMessage = { role: "user", blocks: work.blocks };
  await memory?.store([...before, said, ...result.messages.slice(before.length + 1)]);
  return { result, sources, configuration };
}

function augmentedBlocks(
  blocks: readonly ContentBlock[],
  sources: readonly Source[],
): readonly ContentBlock[] {
  if (sources.length === 0) return blocks;
  const others = blocks.filter(({ type }) => type !== "text");
  return [{ type: "text", text: augmented(textOfBlocks(blocks), sources) }, ...others];
}

const OPENERS: ReadonlyMap<string, () => Promise<ToolOpener>> = new Map([
  ["ai.tool.TavilyWebSearch", async () => (await import("./web_search.ts")).openWebSearch],
  ["ai.tool.GoogleCustomWebSearch", async () => (await import("./web_search.ts")).openWebSearch],
  ["ai.tool.StreamableHttpMcpClient", async () => (await import("./mcp_tools.ts")).openMcpTools],
  ["ai.tool.SseMcpClient", async () => (await import("./mcp_tools.ts")).openMcpTools],
  ["ai.tool.StdioMcpClient", async () => (await import("./mcp_program.ts")).openProgramTools],
  ["ai.tool.DockerMcpClient", async () => (await import("./mcp_program.ts")).openProgramTools],
  ["ai.tool.KestraFlow", async () => (await import("./flow_tool.ts")).openFlowTool],
  ["ai.tool.AIAgent", async () => (await import("./agent_tool.ts")).agentToolOpener(runAgent)],
]);

/** Opens the tools of all parts. If one fails, the others are closed. */
async function openTools(context: ServerTaskContext, parts: readonly JsonObject[]): Promise<OpenTools> {
  await using opened = new AsyncDisposableStack();
  const tools: AgentTool[] = [];
  for (const part of parts) {
    const open = await OPENERS.get(String(part.type))?.();
    if (!open) throw new Error(`The tool "${part.type}" cannot be used`);
    const found = opened.use(await open(context, part));
    tools.push(...found.tools);
  }
  const kept = opened.move();
  return { tools, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
