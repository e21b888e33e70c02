/** `core.log.PurgeLogs`: deletes old log lines. */
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import type { AttemptOutcome } from "../../model/executions/execution.ts";
import { flagOf, instantOf, textOf, textsOf } from "../property_values.ts";
import { checkLogLevel } from "./level.ts";
import { LOG_LEVELS } from "../../model/flows/flow.ts";

/** Outputs: `count`, and its two parts `executionLogsCount` and `nonExecutionLogsCount`. */
export const purgeLogsTask: RunnableTaskType = {
  form: "runnable",
  type: "core.log.PurgeLogs",
  aliases: [],
  description: "Deletes log lines of executions and triggers.",
  pure: false,
  properties: {
    namespace: dynamicText("Namespace of the lines; default is all."),
    flowId: dynamicText("Flow of the lines; requires `namespace`."),
    executionId: dynamicText("Execution of the lines."),
    logLevels: dynamicProperty("list", "Only lines of these levels.", {
      items: dynamicText("A level.", { values: LOG_LEVELS }),
    }),
    startDate: dynamicProperty("dateTime", "Only lines of this time or later."),
    endDate: dynamicProperty("dateTime", "Only lines before this time.", { required: true }),
    purgeExecutionLogs: dynamicFlag(true, "Whether lines of executions are deleted."),
    purgeNonExecutionLogs: dynamicFlag(true, "Whether lines that belong to no execution are deleted.", {
      ignored: true,
    }),
    batchSize: dynamicProperty("integer", "How many lines are deleted at once.", {
      minimum: 1,
      ignored: true,
    }),
  },
  outputs: {
    count: { type: "integer", description: "Number of lines deleted." },
    executionLogsCount: { type: "integer", description: "Number of lines of executions deleted." },
    nonExecutionLogsCount: {
      type: "integer",
      description: "Number of lines deleted that belong to no execution; always 0.",
    },
  },
  async run(properties, context) {
    const before = instantOf(properties, "endDate");
    const namespace = textOf(properties, "namespace") || undefined;
    const flowId = textOf(properties, "flowId") || undefined;
    if (before === undefined) throw new Error("Missing endDate: it is empty");
    if (flowId !== undefined && namespace === undefined) {
      throw new Error("Cannot purge the logs of a flow: its namespace is missing");
    }
    if (!flagOf(properties, "purgeExecutionLogs", true)) return purged(0);
    const count = await context.ports.logs.purge(context, {
      namespace,
      flowId,
      executionId: textOf(properties, "executionId") || undefined,
      levels: textsOf(properties, "logLevels")?.map(checkLogLevel),
      from: instantOf(properties, "startDate"),
      before,
    });
    return purged(count);
  },
};

/** The result after so many lines; all stored lines belong to executions. */
function purged(count: number): AttemptOutcome {
  return { state: "SUCCESS", outputs: { count, executionLogsCount: count, nonExecutionLogsCount: 0 } };
}
