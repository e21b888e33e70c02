/** `core.execution.PurgeExecutions`: deletes old executions. */
import type { PropertySchema } from "../../model/schema.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { stateList } from "./execution_states.ts";

/** Outputs: how many of each kind were deleted. */
export const purgeExecutionsTask: PlannedTaskType = {
  form: "planned",
  type: "core.execution.PurgeExecutions",
  aliases: ["core.storage.Purge", "core.tasks.storages.Purge"],
  description: "Deletes executions, with their logs, metrics and files.",
  properties: {
    namespace: { type: "string", dynamic: true, description: "Namespace of the executions; all without it." },
    flowId: { type: "string", dynamic: true, description: "Flow of the executions; needs `namespace`." },
    startDate: {
      type: "dateTime",
      dynamic: true,
      description: "Only executions that began at this time or later.",
    },
    endDate: {
      type: "dateTime",
      required: true,
      dynamic: true,
      description: "Only executions that ended before this time.",
    },
    states: stateList("Only executions in one of these states; without it all that have ended."),
    purgeExecution: purged("the executions themselves"),
    purgeLog: purged("their logs"),
    purgeMetric: purged("their metrics"),
    purgeStorage: purged("their files"),
    batchSize: {
      type: "integer",
      dynamic: true,
      default: 100,
      minimum: 1,
      ignored: true,
      description: "How many executions are deleted at once.",
    },
  },
  outputs: {
    executionsCount: { type: "integer", description: "Number of executions deleted." },
    logsCount: { type: "integer", description: "Number of log lines deleted." },
    metricsCount: { type: "integer", description: "Number of metrics deleted." },
    storagesCount: { type: "integer", description: "Number of files deleted." },
  },
};

function purged(what: string): PropertySchema {
  return { type: "boolean", dynamic: true, default: true, description: `Whether ${what} are deleted.` };
}
