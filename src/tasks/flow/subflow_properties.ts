/** How a task starts executions of another flow. */
import { dynamicFlag, type PropertySchemas } from "../../model/flows/schema.ts";

/** Which flow is started, with what, and whether it is waited for. */
export const SUBFLOW_PROPERTIES: PropertySchemas = Object.freeze({
  namespace: {
    type: "string",
    required: true,
    dynamic: true,
    description: "Namespace of the flow to start.",
  },
  flowId: { type: "string", required: true, dynamic: true, description: "Id of the flow to start." },
  revision: {
    type: "integer",
    dynamic: true,
    minimum: 1,
    description: "Revision of the flow; the latest one without it.",
  },
  inputs: {
    type: "map",
    dynamic: true,
    description: "Inputs of the execution; they are converted by the inputs that the flow declares.",
  },
  labels: {
    type: "map",
    dynamic: true,
    orList: true,
    description: "Labels of the execution: a map, or a list of `key` and `value`.",
  },
  inheritLabels: dynamicFlag(false, "Whether it also gets the labels of this execution."),
  wait: {
    type: "boolean",
    default: true,
    description: "Whether this task ends only when the execution has ended.",
  },
  transmitFailed: {
    type: "boolean",
    default: true,
    description: "Whether a failure or warning of the execution is one of this task; needs `wait`.",
  },
  scheduleDate: {
    type: "dateTime",
    dynamic: true,
    description: "When the execution starts; at once without it.",
  },
});
