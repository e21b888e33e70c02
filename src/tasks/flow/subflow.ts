/** `core.flow.Subflow`: an execution of another flow. */
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { SUBFLOW_PROPERTIES } from "./subflow_properties.ts";

/** Outputs: `executionId`, `state` and `outputs`. */
export const subflowTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.Subflow",
  aliases: ["core.tasks.flows.Subflow", "core.tasks.flows.Flow"],
  description: "Starts an execution of another flow, and waits for its end unless told otherwise.",
  properties: {
    ...SUBFLOW_PROPERTIES,
    outputs: {
      type: "map",
      deprecated: "declare `outputs` in the flow that is started",
      description: "Values that are rendered with the variables of the execution when it has ended.",
    },
    restartBehavior: {
      type: "string",
      values: ["RETRY_FAILED", "NEW_EXECUTION"],
      default: "RETRY_FAILED",
      description:
        "What a restart of this execution does with a failed one that this task has started and waited " +
        "for: it is restarted, unless it is gone or has nothing to restart from, or another one is started.",
    },
  },
  outputs: {
    executionId: { type: "string", description: "Id of the execution." },
    state: { type: "string", description: "State in which the execution has ended; needs `wait`." },
    outputs: { type: "map", description: "Outputs of the execution; needs `wait`." },
  },
};
