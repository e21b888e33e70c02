/** `core.log.PurgeLogs`: deletes old log lines. */
import { LOG_LEVELS } from "../../model/flow.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Output: `count`. */
export const purgeLogsTask: PlannedTaskType = {
  form: "planned",
  type: "core.log.PurgeLogs",
  aliases: [],
  description: "Deletes log lines of executions and triggers.",
  properties: {
    namespace: { type: "string", dynamic: true, description: "Namespace of the lines; all without it." },
    flowId: { type: "string", dynamic: true, description: "Flow of the lines; needs `namespace`." },
    executionId: { type: "string", dynamic: true, description: "Execution of the lines." },
    logLevels: {
      type: "list",
      dynamic: true,
      items: { type: "string", dynamic: true, values: LOG_LEVELS, description: "A level." },
      description: "Only lines of these levels.",
    },
    startDate: { type: "dateTime", dynamic: true, description: "Only lines of this time or later." },
    endDate: { type: "dateTime", required: true, dynamic: true, description: "Only lines before this time." },
  },
  outputs: { count: { type: "integer", description: "Number of lines deleted." } },
};
