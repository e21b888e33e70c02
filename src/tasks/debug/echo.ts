/** `core.debug.Echo`: legacy Log. */
import { printValue } from "../../expr/mod.ts";
import { dynamicContent } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { levelProperty, readLogLevel } from "../log/level.ts";

/** Has no outputs. */
export const echoTask: RunnableTaskType = {
  form: "runnable",
  type: "core.debug.Echo",
  aliases: ["core.tasks.debugs.Echo"],
  description: "Writes a text to the log.",
  deprecated: "use `core.log.Log`",
  pure: true,
  properties: {
    format: dynamicContent("Text to log."),
    level: levelProperty("Level of the line."),
  },
  outputs: {},
  run(properties, context) {
    context.log(readLogLevel(properties), printValue(properties.format ?? null));
    return { state: "SUCCESS", outputs: {} };
  },
};
