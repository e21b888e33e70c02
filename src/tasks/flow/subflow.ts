/** `core.flow.Subflow`: an execution of another flow. */
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";

/** The flow to start, the values passed to it, and whether to wait for its end. */
export const SUBFLOW_PROPERTIES: PropertySchemas = Object.freeze({
  namespace: dynamicText("Namespace of the flow to start.", { required: true }),
  flowId: dynamicText("Id of the flow to start.", { required: true }),
  revision: dynamicProperty("integer", "Revision of the flow; default is the latest one.", { minimum: 1 }),
  inputs: dynamicProperty("map", "Inputs of the execution; converted to the types that the flow declares."),
  labels: dynamicProperty("map", "Labels of the execution: a map, or a list of `key` and `value`.", {
    orList: true,
  }),
  inheritLabels: dynamicFlag(false, "Whether it inherits the labels of this execution."),
  wait: {
    type: "boolean",
    default: true,
    description: "Whether this task ends only when the execution has ended.",
  },
  transmitFailed: {
    type: "boolean",
    default: true,
    description: "Whether this task fails or warns when the execution does; requires `wait`.",
  },
  scheduleDate: dynamicProperty("dateTime", "When the execution starts; default is immediately."),
});

/** Outputs: `executionId`, `state` and `outputs`. */
export const subflowTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.Subflow",
  aliases: ["core.tasks.flows.Subflow", "core.tasks.flows.Flow"],
  description: "Starts an execution of another flow and, by default, waits for its end.",
  properties: {
    ...SUBFLOW_PROPERTIES,
    outputs: {
      type: "map",
      deprecated: "declare `outputs` in the flow that is started",
      description:
        "Values that are rendered with the variables of the execution when it has ended, if its flow " +
        "declares no `outputs`.",
    },
    restartBehavior: {
      type: "string",
      values: ["RETRY_FAILED", "NEW_EXECUTION"],
      default: "RETRY_FAILED",
      description:
        "What a restart of this execution does with a failed execution that this task has started and waited " +
        "for: restart it if possible (`RETRY_FAILED`), or start a new one (`NEW_EXECUTION`).",
    },
  },
  outputs: {
    executionId: { type: "string", description: "Id of the execution." },
    state: { type: "string", description: "State in which the execution has ended; requires `wait`." },
    outputs: { type: "map", description: "Outputs of the execution; requires `wait`." },
  },
};
