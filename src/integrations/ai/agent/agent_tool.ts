/** An agent as a tool of another one. */
import { optionalText } from "../../../model/tasks/task_definition.ts";
import type { AgentRunner } from "./agent_work.ts";
import { objectSchema, type ToolOpener, toolsOf } from "./tool.ts";

const PARAMETERS = objectSchema({ prompt: { type: "string", description: "What the agent shall do." } }, [
  "prompt",
]);

/** The tool has the name of the part, after `kestra_agent_`. */
export function agentToolOpener(runAgent: AgentRunner): ToolOpener {
  return (context, part) =>
    Promise.resolve(toolsOf({
      type: String(part.type),
      name: `kestra_agent_${part.name}`.replaceAll(/[^\w-]/g, "_"),
      description: String(part.description),
      parameters: PARAMETERS,
      run: async ({ prompt }) => {
        const { result } = await runAgent(context, {
          provider: part.provider,
          configuration: part.configuration,
          system: optionalText(part.systemMessage),
          blocks: [{ type: "text", text: String(prompt) }],
          tools: part.tools,
          retrievers: part.contentRetrievers,
          maxRounds: part.maxSequentialToolsInvocations,
        });
        return result.reply.text ?? "";
      },
    }));
}
