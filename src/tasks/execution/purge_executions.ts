/** `core.execution.PurgeExecutions`: deletes old executions. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf } from "../property_values.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import { type State, TERMINAL_STATES } from "../../model/executions/state.ts";
import { oldExecutionsOf, stateList, statesOf } from "./execution_properties.ts";

/** Outputs: how many of each kind were deleted. */
export const purgeExecutionsTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.PurgeExecutions",
  aliases: ["core.storage.Purge", "core.tasks.storages.Purge"],
  description:
    "Deletes executions, with their logs, metrics and files. Those that another one still awaits are kept.",
  pure: false,
  properties: {
    namespace: dynamicText("Namespace of the executions; default is all."),
    flowId: dynamicText("Flow of the executions; requires `namespace`."),
    startDate: dynamicProperty("dateTime", "Only executions that started at this time or later."),
    endDate: dynamicProperty("dateTime", "Only executions that ended before this time.", { required: true }),
    states: stateList("Only executions in one of these states; default is all ended ones."),
    purgeExecution: purged("the executions themselves"),
    purgeLog: purged("their logs"),
    purgeMetric: purged("their metrics"),
    purgeStorage: purged("their files"),
    batchSize: dynamicProperty("integer", "How many executions are deleted at once.", {
      default: 100,
      minimum: 1,
      ignored: true,
    }),
  },
  outputs: {
    executionsCount: { type: "integer", description: "Number of executions deleted." },
    logsCount: { type: "integer", description: "Number of log lines deleted." },
    metricsCount: { type: "integer", description: "Number of metrics deleted." },
    storagesCount: { type: "integer", description: "Number of files deleted." },
  },
  async run(properties, context) {
    const selection = { ...oldExecutionsOf(properties), states: statesOf(properties) ?? ENDED };
    const purged = await context.ports.executions.purge(context, selection, {
      executions: flagOf(properties, "purgeExecution", true),
      logs: flagOf(properties, "purgeLog", true),
      metrics: flagOf(properties, "purgeMetric", true),
      files: flagOf(properties, "purgeStorage", true),
    });
    const outputs = {
      executionsCount: purged.executions,
      logsCount: purged.logs,
      metricsCount: purged.metrics,
      storagesCount: purged.files,
    };
    return { state: "SUCCESS", outputs };
  },
};

/** Default of `states`. */
const ENDED: readonly State[] = [...TERMINAL_STATES];

function purged(what: string): PropertySchema {
  return dynamicFlag(true, `Whether ${what} are deleted.`);
}
