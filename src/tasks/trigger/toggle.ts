/** `core.trigger.Toggle`: disables or enables a trigger. */
import { dynamicFlag, dynamicText } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf, requiredTextOf, textOf } from "../property_values.ts";

/** Has no outputs. */
export const toggleTask: RunnableTaskType = {
  form: "runnable",
  type: "core.trigger.Toggle",
  aliases: ["core.tasks.trigger.Toggle"],
  description: "Disables a trigger, or enables it again.",
  pure: false,
  properties: {
    namespace: dynamicText("Namespace of the flow; default is that of this one."),
    flowId: dynamicText("Id of the flow; default is this one."),
    trigger: dynamicText("Id of the trigger.", { required: true }),
    enabled: dynamicFlag(false, "Whether the trigger is enabled or disabled."),
  },
  outputs: {},
  async run(properties, context) {
    const id = {
      namespace: textOf(properties, "namespace") || context.namespace,
      flowId: textOf(properties, "flowId") || context.flowId,
      triggerId: requiredTextOf(properties, "trigger"),
    };
    await context.ports.triggers.setDisabled(context.tenant, id, !flagOf(properties, "enabled", false));
    return { state: "SUCCESS", outputs: {} };
  },
};
