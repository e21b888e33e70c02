/** `core.flow.Switch`: the branch selected by a value. */
import { dynamicText } from "../../model/flows/schema.ts";
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { HANDLER_PROPERTIES } from "./flowable_properties.ts";

/** Outputs: `value` and `defaults`. */
export const switchTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.Switch",
  aliases: ["core.tasks.flows.Switch"],
  description: "Runs the branch of tasks whose name equals a value.",
  properties: {
    value: dynamicText("Value that must equal the name of a case exactly.", { required: true }),
    cases: { type: "cases", description: "Branches by name, each a list of tasks that run in order." },
    defaults: { type: "tasks", description: "Tasks to run when no case has that name." },
    ...HANDLER_PROPERTIES,
  },
  outputs: {
    value: { type: "string", description: "The value as rendered." },
    defaults: { type: "boolean", description: "Whether no case had that name." },
  },
};
