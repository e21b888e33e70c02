/** `core.debug.Return`: gives its rendered text as an output. */
import type { JsonObject } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import type { RunContext } from "../../model/run_context.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../model/task_catalog.ts";

/** Output: `value`, the rendered `format`; absent when there is no format. */
export const returnTask: RunnableTaskType = {
  form: "runnable",
  type: "core.debug.Return",
  aliases: ["core.tasks.debugs.Return"],
  description: "Returns a text as an output, to look at a value or to pass it on.",
  pure: true,
  properties: {
    format: { type: "string", dynamic: true, description: "Text to return." },
  },
  outputs: {
    value: { type: "string", description: "The text as rendered; absent when there is no `format`." },
  },
  run: returnFormat,
};

function returnFormat(properties: JsonObject, context: RunContext): AttemptOutcome {
  const { format } = properties;
  if (format === undefined || format === null) return { state: "SUCCESS", outputs: {} };
  const value = printValue(format);
  context.log("DEBUG", value);
  return { state: "SUCCESS", outputs: { value } };
}
