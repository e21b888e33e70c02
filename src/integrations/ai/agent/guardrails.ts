/** Rules that a prompt and a reply must hold. */
import { type JsonObject, type JsonValue, objectsOf } from "../../../base/json.ts";
import type { PropertySchema, PropertySchemas } from "../../../model/flows/schema.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import type { ChatReply } from "../models/chat.ts";

const RULE: PropertySchemas = {
  expression: { type: "string", required: true, description: "Must be true." },
  message: { type: "string", required: true, description: "What the output says if it is not." },
};

function rules(description: string): PropertySchema {
  return { type: "list", description, items: { type: "object", description: "A rule.", properties: RULE } };
}

/** Its expressions are rendered during the attempt, with further variables. */
export const GUARDRAILS: PropertySchema = Object.freeze({
  type: "object",
  dynamic: false,
  description:
    "Rules of the prompt and of the reply. The first one that does not hold ends the task with SUCCESS and " +
    "`guardrailViolated`.",
  properties: {
    input: rules("Rules of the prompt, which expressions read as `message`."),
    output: rules(
      "Rules of the reply, which expressions read as `response`, with `finishReason`, `inputTokenCount` and `outputTokenCount`.",
    ),
  },
});

/** Outputs of a violated rule. */
export const GUARDRAIL_OUTPUTS: PropertySchemas = Object.freeze({
  guardrailViolated: { type: "boolean", description: "Whether a rule did not hold." },
  guardrailViolationMessage: { type: "string", description: "Message of the rule that did not hold." },
});

/** A rule that does not hold; {@link guarded} makes outputs of it. */
class Violation extends Error {}

/** The outputs of the work, or those of the rule that it violates. */
export async function guarded(
  context: ServerTaskContext,
  work: () => Promise<JsonObject>,
): Promise<JsonObject> {
  try {
    return { ...await work(), guardrailViolated: false };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    context.log("WARN", `A guardrail is violated: ${error.message}`);
    return { guardrailViolated: true, guardrailViolationMessage: error.message };
  }
}

/** Checks the prompt. @throws Error a rule does not hold; for {@link guarded} */
export async function checkPrompt(context: ServerTaskContext, message: string): Promise<void> {
  await check(context, "input", { message });
}

/** Checks the reply. @throws Error a rule does not hold; for {@link guarded} */
export async function checkReply(context: ServerTaskContext, reply: ChatReply): Promise<void> {
  await check(context, "output", {
    response: reply.text ?? "",
    finishReason: reply.finishReason,
    inputTokenCount: reply.usage?.input ?? 0,
    outputTokenCount: reply.usage?.output ?? 0,
  });
}

async function check(
  context: ServerTaskContext,
  side: "input" | "output",
  variables: JsonObject,
): Promise<void> {
  const given = context.properties.guardrails as JsonObject | undefined;
  const title = side === "input" ? "Input" : "Output";
  for (const { expression, message } of objectsOf(given?.[side] as JsonValue | undefined)) {
    const value = await rendered(context, String(expression), variables);
    if (String(value).trim().toLowerCase() !== "true") throw new Violation(`${title} guardrail: ${message}`);
  }
}

async function rendered(
  context: ServerTaskContext,
  expression: string,
  variables: JsonObject,
): Promise<JsonValue> {
  try {
    return await context.render(expression, variables);
  } catch (error) {
    throw new Violation(`Cannot evaluate the guardrail "${expression}": ${(error as Error).message}`);
  }
}
