/** `core.execution.Fail`: ends FAILED, always or on a condition. */
import { isTruthyText, printValue } from "../../expr/mod.ts";
import { dynamicContent, dynamicText } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";

/** Has no outputs. */
export const failTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.Fail",
  aliases: ["core.tasks.executions.Fail"],
  description: "Fails the execution if its condition is true or absent.",
  pure: true,
  properties: {
    condition: dynamicText("Fails only when this renders to a true text."),
    errorMessage: dynamicContent("Text of the error.", { default: "Task failure" }),
  },
  outputs: {},
  run(properties, context) {
    const { condition, errorMessage } = properties;
    const isConditional = condition !== undefined && condition !== null;
    if (isConditional && !isTruthyText(printValue(condition))) return { state: "SUCCESS", outputs: {} };
    context.log("ERROR", printValue(errorMessage ?? "Task failure"));
    if (isConditional) context.log("ERROR", "Fail on a condition");
    return { state: "FAILED" };
  },
};
