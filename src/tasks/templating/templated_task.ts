/** `core.templating.TemplatedTask`: a task whose whole declaration is rendered. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Outputs: those of the task that it runs. */
export const templatedTask: PlannedTaskType = {
  form: "planned",
  type: "core.templating.TemplatedTask",
  aliases: ["core.tasks.templating.TemplatedTask"],
  description: "Renders the declaration of a task and runs that task.",
  properties: {
    spec: {
      type: "string",
      required: true,
      dynamic: true,
      description: "Declaration of a task that does work itself, as a YAML text.",
    },
  },
};
