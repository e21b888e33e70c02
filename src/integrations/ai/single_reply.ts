/** Types that ask a model once, without tools. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { ServerTaskContext } from "../../model/tasks/server_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { checkPrompt, checkReply, GUARDRAILS } from "./agent/guardrails.ts";
import { AGENT_METRICS, reportUsage, usageForm, warnOfEnd } from "./agent/outputs.ts";
import { CHAT_CONFIGURATION, readConfiguration } from "./configuration.ts";
import { CONTENT_BLOCKS, readBlocks } from "./content_blocks.ts";
import { type JsonFormat, textOfBlocks } from "./models/chat.ts";
import { given } from "./models/model_calls.ts";
import { partProperty } from "./part.ts";
import { modelOf } from "./providers.ts";

const { "ai.agent.tool.calls": _tools, ...METRICS } = AGENT_METRICS;

/** Metrics of these types. */
export const SINGLE_METRICS: typeof AGENT_METRICS = Object.freeze(METRICS);

/** Properties of these types. */
export const SINGLE_PROPERTIES: PropertySchemas = Object.freeze({
  provider: partProperty("provider", "Model.", { required: true }),
  prompt: dynamicText("The text."),
  contentBlocks: CONTENT_BLOCKS,
  configuration: CHAT_CONFIGURATION,
  guardrails: GUARDRAILS,
});

/** What is asked for. */
interface SingleRequest {
  readonly system: string;
  readonly json?: JsonFormat;
}

/** The text of the reply, and the outputs of its tokens and its end. @throws Error the provider fails, or a rule does not hold */
export async function askOnce(
  context: ServerTaskContext,
  { system, json }: SingleRequest,
): Promise<{ readonly text: string; readonly outputs: JsonObject }> {
  const { prompt, contentBlocks, configuration } = context.properties;
  const provider = context.properties.provider as JsonObject;
  const blocks = await readBlocks(context, { text: optionalText(prompt), blocks: contentBlocks });
  await checkPrompt(context, textOfBlocks(blocks));
  const { options } = readConfiguration(configuration, provider);
  const model = await modelOf(context, provider);
  context.metric("ai.provider.calls", 1, { tags: { provider: String(provider.type) } });
  const reply = await model.chat({
    system,
    messages: [{ role: "user", blocks }],
    tools: [],
    options: { ...options, json: json ?? options.json },
  });
  await checkReply(context, reply);
  reportUsage(context, reply.usage);
  warnOfEnd(context, reply.finishReason);
  const { text = "", usage, finishReason } = reply;
  return { text, outputs: given({ tokenUsage: usageForm(usage), finishReason }) };
}
