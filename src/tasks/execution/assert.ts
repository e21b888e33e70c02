/** `core.execution.Assert`: fails unless all its conditions hold. */
import { type JsonValue, ownProperty } from "../../base/json.ts";
import { isTruthyText, printValue } from "../../expr/mod.ts";
import { dynamicContent, dynamicProperty } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { textOf, textsOf } from "../property_values.ts";

/** Has no outputs. */
export const assertTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.Assert",
  aliases: [],
  description: "Fails if a condition is false, and logs each false condition.",
  pure: true,
  properties: {
    conditions: dynamicProperty("list", "Conditions, all of which must be true.", {
      required: true,
      items: { type: "string", description: "A condition that must be true." },
    }),
    errorMessage: dynamicContent("Text of the error."),
  },
  outputs: {},
  run(properties, context) {
    const conditions = textsOf(properties, "conditions") ?? [];
    const written = ownProperty(context.written, "conditions");
    let failed = 0;
    for (const [index, condition] of conditions.entries()) {
      if (isTruthyText(condition)) continue;
      failed++;
      context.log("ERROR", `Assertion \`${sourceOf(written, index) ?? condition}\` failed!`);
    }
    context.metric({ name: "success", type: "counter", value: conditions.length - failed });
    context.metric({ name: "failed", type: "counter", value: failed });
    if (failed === 0) return { state: "SUCCESS", outputs: {} };
    const reason = textOf(properties, "errorMessage");
    const summary = `${failed} assertion${failed > 1 ? "s" : ""} failed!`;
    context.log("ERROR", reason ? `${summary}\n${reason}` : summary);
    return { state: "FAILED" };
  },
};

/** The condition as written in the flow, since its rendered text is only "false". */
function sourceOf(written: JsonValue | undefined, index: number): string | undefined {
  const condition = Array.isArray(written) ? written[index] : undefined;
  return condition === undefined ? undefined : printValue(condition);
}
