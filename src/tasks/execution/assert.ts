/** `core.execution.Assert`: fails unless all its conditions hold. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Has no outputs. */
export const assertTask: PlannedTaskType = {
  form: "planned",
  type: "core.execution.Assert",
  aliases: [],
  description: "Fails when one of its conditions is false, and logs each one that is.",
  properties: {
    conditions: {
      type: "list",
      required: true,
      dynamic: true,
      items: { type: "string", description: "A condition that must be true." },
      description: "Conditions, all of which must be true.",
    },
    errorMessage: { type: "string", dynamic: true, description: "Text of the error." },
  },
  outputs: {},
};
