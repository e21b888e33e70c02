/** `core.flow.Template`: tasks of a template. Legacy, not supported. */
import { dynamicProperty } from "../../model/flows/schema.ts";
import type { PlannedTaskType } from "../../model/tasks/task_catalog.ts";

/** Saving a flow with it is refused. */
export const templateTask: PlannedTaskType = {
  form: "planned",
  type: "core.flow.Template",
  aliases: ["core.tasks.flows.Template"],
  description: "Runs the tasks of a template.",
  deprecated: "use `core.flow.Subflow`",
  properties: {
    namespace: { type: "string", required: true, description: "Namespace of the template." },
    templateId: { type: "string", required: true, description: "Id of the template." },
    args: dynamicProperty("map", "Arguments that the template reads."),
  },
  outputs: {},
};
