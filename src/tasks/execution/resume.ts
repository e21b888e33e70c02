/** `core.execution.Resume`: resumes a paused execution. */
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { mapOf } from "../property_values.ts";
import { EXECUTION_FLOW, namedExecutionOf } from "./execution_properties.ts";

/** Has no outputs. */
export const resumeTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.Resume",
  aliases: ["core.tasks.executions.Resume"],
  description: "Resumes an execution that is paused.",
  pure: false,
  properties: {
    executionId: dynamicText("Id of the execution; default is the one that triggered this execution."),
    ...EXECUTION_FLOW,
    inputs: dynamicProperty("map", "Values of the inputs that its Pause requests."),
  },
  outputs: {},
  async run(properties, context) {
    const id = namedExecutionOf(properties).executionId ?? await triggeringExecution(context);
    await context.ports.executions.resume(context.tenant, id, mapOf(properties, "inputs") ?? {});
    return { state: "SUCCESS", outputs: {} };
  },
};

async function triggeringExecution(context: RunContext): Promise<string> {
  const id = await context.render("{{ trigger.executionId ?? '' }}");
  if (typeof id === "string" && id !== "") return id;
  throw new Error("Cannot resume an execution: give an executionId, no other execution has started this one");
}
