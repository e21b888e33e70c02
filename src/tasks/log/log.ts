/** `core.log.Log`: writes its message, or each of its messages, to the log of the execution. */
import { printValue } from "../../expr/mod.ts";
import { dynamicContent } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { levelProperty, readLogLevel } from "./level.ts";

/** Has no outputs. */
export const logTask: RunnableTaskType = {
  form: "runnable",
  type: "core.log.Log",
  aliases: ["core.tasks.log.Log"],
  description: "Writes a message to the log.",
  pure: true,
  properties: {
    message: dynamicContent("Text to log, or a list of texts, one per line.", {
      required: true,
      orList: true,
    }),
    level: levelProperty("Level of the lines."),
  },
  outputs: {},
  run(properties, context) {
    const level = readLogLevel(properties);
    const { message } = properties;
    for (const item of Array.isArray(message) ? message : [message ?? null]) {
      context.log(level, printValue(item));
    }
    return { state: "SUCCESS", outputs: {} };
  },
};
