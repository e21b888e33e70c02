/** `core.debug.Echo`: the older Log. */
import { LOG_LEVELS } from "../../model/flow.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Has no outputs. */
export const echoTask: PlannedTaskType = {
  form: "planned",
  type: "core.debug.Echo",
  aliases: ["core.tasks.debugs.Echo"],
  description: "Writes a text to the log.",
  deprecated: "use `core.log.Log`",
  properties: {
    format: { type: "string", dynamic: true, description: "Text to log." },
    level: {
      type: "string",
      dynamic: true,
      values: LOG_LEVELS,
      default: "INFO",
      description: "Level of the line.",
    },
  },
  outputs: {},
};
