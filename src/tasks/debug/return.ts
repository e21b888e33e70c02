/** `core.debug.Return`: returns its rendered text as an output. */
import { printValue } from "../../expr/mod.ts";
import { dynamicContent } from "../../model/flows/schema.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../model/tasks/task_catalog.ts";

/** Output: `value`, the rendered `format`; absent if there is no format. */
export const returnTask: RunnableTaskType = {
  form: "runnable",
  type: "core.debug.Return",
  aliases: ["core.tasks.debugs.Return"],
  description: "Returns a text as an output, to inspect a value or to pass it on.",
  pure: true,
  properties: {
    format: dynamicContent("Text to return."),
  },
  outputs: {
    value: { type: "string", description: "The text as rendered; absent if there is no `format`." },
  },
  run(properties, context): AttemptOutcome {
    const { format } = properties;
    if (format === undefined || format === null) return { state: "SUCCESS", outputs: {} };
    const value = printValue(format);
    context.log("DEBUG", value);
    return { state: "SUCCESS", outputs: { value } };
  },
  /** Length of the text and duration. Computed and not stored, since every execution of a busy server may have such a task. */
  metricsOf({ written, outputs, startedAt, endedAt }) {
    const { value } = outputs;
    const tags = { format: printValue(written.format ?? null) };
    return [
      { name: "length", type: "counter", value: typeof value === "string" ? value.length : 0, tags },
      { name: "duration", type: "timer", value: endedAt - startedAt, tags },
    ];
  },
};
