/** `core.trigger.Toggle`: disables or enables a trigger. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Has no outputs. */
export const toggleTask: PlannedTaskType = {
  form: "planned",
  type: "core.trigger.Toggle",
  aliases: ["core.tasks.trigger.Toggle"],
  description: "Disables a trigger, or enables it again.",
  properties: {
    namespace: {
      type: "string",
      dynamic: true,
      description: "Namespace of the flow; that of this one without it.",
    },
    flowId: { type: "string", dynamic: true, description: "Id of the flow; this one without it." },
    trigger: { type: "string", required: true, dynamic: true, description: "Id of the trigger." },
    enabled: {
      type: "boolean",
      dynamic: true,
      default: false,
      description: "Whether the trigger is enabled or disabled.",
    },
  },
  outputs: {},
};
