/** `core.execution.Exit`: ends the execution before its last task. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Has no outputs. */
export const exitTask: PlannedTaskType = {
  form: "planned",
  type: "core.execution.Exit",
  aliases: [],
  description: "Ends the execution in a given state; tasks that have not started never run.",
  properties: {
    state: {
      type: "string",
      dynamic: true,
      values: ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELED", "CANCELLED"],
      default: "SUCCESS",
      description: "State of the execution; only `KILLED` interrupts tasks that still run.",
    },
  },
  outputs: {},
};
