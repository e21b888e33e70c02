/** `core.debug.Echo`: the older Log. */
import { LOG_LEVELS } from "../../model/flows/flow.ts";
import { printValue } from "../../expr/mod.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { readLogLevel } from "../log/level.ts";

/** Has no outputs. */
export const echoTask: RunnableTaskType = {
  form: "runnable",
  type: "core.debug.Echo",
  aliases: ["core.tasks.debugs.Echo"],
  description: "Writes a text to the log.",
  deprecated: "use `core.log.Log`",
  pure: true,
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
  run(properties, context) {
    context.log(readLogLevel(properties, "level"), printValue(properties.format ?? null));
    return { state: "SUCCESS", outputs: {} };
  },
};
