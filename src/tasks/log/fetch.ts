/** `core.log.Fetch`: the log of an execution as a file. */
import { LOG_LEVELS } from "../../model/flow.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Outputs: `size` and `uri`. */
export const fetchLogsTask: PlannedTaskType = {
  form: "planned",
  type: "core.log.Fetch",
  aliases: ["core.tasks.log.Fetch"],
  description: "Stores the log of an execution as a file, one line of data for each line of the log.",
  properties: {
    executionId: { type: "string", dynamic: true, description: "Id of the execution; this one without it." },
    tasksId: {
      type: "list",
      dynamic: true,
      items: { type: "string", description: "Id of a task." },
      description: "Only lines of these tasks.",
    },
    level: {
      type: "string",
      dynamic: true,
      values: LOG_LEVELS,
      default: "INFO",
      description: "Only lines of this level, and of more severe ones.",
    },
  },
  outputs: {
    size: { type: "integer", description: "Number of lines." },
    uri: { type: "string", description: "Storage URI of the file." },
  },
};
