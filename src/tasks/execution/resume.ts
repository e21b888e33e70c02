/** `core.execution.Resume`: resumes a paused execution. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Has no outputs. */
export const resumeTask: PlannedTaskType = {
  form: "planned",
  type: "core.execution.Resume",
  aliases: ["core.tasks.executions.Resume"],
  description: "Resumes an execution that is paused.",
  properties: {
    executionId: {
      type: "string",
      dynamic: true,
      description: "Id of the execution; without it, the one that triggered this execution.",
    },
    inputs: { type: "map", dynamic: true, description: "Values of the inputs that its Pause asks for." },
  },
  outputs: {},
};
