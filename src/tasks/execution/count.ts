/** `core.execution.Count`: counts executions. */
import type { PropertySchemas } from "../../model/schema.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { stateList } from "./execution_states.ts";

const COUNTED_FLOW: PropertySchemas = Object.freeze({
  namespace: { type: "string", required: true, dynamic: true, description: "Namespace of the flow." },
  flowId: { type: "string", dynamic: true, aliases: ["id"], description: "Id of the flow." },
});

const RESULT: PropertySchemas = Object.freeze({
  namespace: { type: "string", description: "Namespace of the flow." },
  flowId: { type: "string", description: "Id of the flow." },
  count: { type: "integer", description: "Number of its executions." },
});

/** Outputs: `results` and `total`. */
export const countTask: PlannedTaskType = {
  form: "planned",
  type: "core.execution.Count",
  aliases: ["core.execution.Counts", "core.tasks.executions.Count", "core.tasks.executions.Counts"],
  description: "Counts executions by flow, and keeps the counts for which an expression is true.",
  properties: {
    flows: {
      type: "list",
      dynamic: true,
      items: { type: "object", dynamic: true, properties: COUNTED_FLOW, description: "A flow." },
      description: "Flows whose executions are counted.",
    },
    namespaces: {
      type: "list",
      dynamic: true,
      items: { type: "string", description: "Name of a namespace." },
      description: "Namespaces whose executions are counted, instead of `flows`.",
    },
    states: stateList("Only executions in one of these states are counted."),
    startDate: {
      type: "dateTime",
      dynamic: true,
      description: "Only executions that began at this time or later.",
    },
    endDate: { type: "dateTime", dynamic: true, description: "Only executions that began before this time." },
    expression: {
      type: "string",
      required: true,
      description: "Expression that is evaluated for each flow and reads its number as `count`.",
    },
  },
  outputs: {
    results: {
      type: "list",
      items: { type: "object", properties: RESULT, description: "A flow and its count." },
      description: "Counts for which the expression is true.",
    },
    total: { type: "integer", description: "Sum of all counts." },
  },
};
