/** `core.flow.Template`: tasks of a template, which the language no longer has. */
import { dynamicProperty } from "../../model/flows/schema.ts";
import type { PlannedTaskType } from "../../model/tasks/task_catalog.ts";

/** Saving a flow with it is refused. */
export const templateTask: PlannedTaskType = {
  form: "planned",
  type: "core.flow.Template",
  aliases: ["core.tasks.flows.Template"],
  description: "Runs the tasks of a template.",
  refusal:
    "the language has no templates any more; save the tasks of the template as a flow and start it by a task of type " +
    "core.flow.Subflow: `args` become its `inputs`, `parent.outputs.args.x` becomes `inputs.x`",
  properties: {
    namespace: { type: "string", required: true, description: "Namespace of the template." },
    templateId: { type: "string", required: true, description: "Id of the template." },
    args: dynamicProperty("map", "Arguments that the template reads."),
  },
  outputs: {},
};
