/** `core.debug.Return`: gives its rendered text as an output. */
import type { JsonObject } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import type { Metric } from "../../model/executions/metric.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { AttemptOutcome, RunnableTaskType, StoredAttempt } from "../../model/tasks/task_catalog.ts";

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
  metricsOf: measureReturn,
};

function returnFormat(properties: JsonObject, context: RunContext): AttemptOutcome {
  const { format } = properties;
  if (format === undefined || format === null) return { state: "SUCCESS", outputs: {} };
  const value = printValue(format);
  context.log("DEBUG", value);
  return { state: "SUCCESS", outputs: { value } };
}

/** How long the text is, and how long it took. Every execution of a busy server may have one: nothing is stored for them. */
function measureReturn({ written, outputs, startedAt, endedAt }: StoredAttempt): readonly Metric[] {
  const { value } = outputs;
  const tags = { format: printValue(written.format ?? null) };
  return [
    { name: "length", type: "counter", value: typeof value === "string" ? value.length : 0, tags },
    { name: "duration", type: "timer", value: endedAt - startedAt, tags },
  ];
}
