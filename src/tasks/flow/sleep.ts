/** `core.flow.Sleep`: waits. The wait is a stored timer: it occupies no worker and survives a crash. */
import { readDuration } from "../../base/time/duration.ts";
import { printValue } from "../../expr/mod.ts";
import { dynamicProperty } from "../../model/flows/schema.ts";
import type { WaitingTaskType } from "../../model/tasks/task_catalog.ts";

/** Has no outputs. */
export const sleepTask: WaitingTaskType = {
  form: "waiting",
  type: "core.flow.Sleep",
  aliases: ["core.tasks.flows.Sleep"],
  description: "Waits for a duration.",
  properties: {
    duration: dynamicProperty("duration", "Duration of the wait, for example PT10S.", {
      required: true,
      sign: "notNegative",
    }),
  },
  outputs: {},
  delayMs(properties) {
    const text = printValue(properties.duration ?? null);
    const ms = readDuration(properties.duration);
    if (ms === undefined || ms < 0) {
      throw new Error(
        `Invalid duration "${text}": it must be an ISO 8601 duration such as PT10S, or a number of seconds`,
      );
    }
    return ms;
  },
};
