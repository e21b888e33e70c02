/** `core.condition.ExecutionStatus`: an execution is in one of the given states. */
import { executionOf, isSelectedState } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { stateList } from "../shared_properties.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const executionStatusCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.ExecutionStatus",
  aliases: [
    "core.condition.ExecutionStatusCondition",
    "core.models.conditions.types.ExecutionStatusCondition",
  ],
  description: "True for executions in one of the given states.",
  properties: {
    in: stateList("States, one of which the execution must have.", { dynamic: true }),
    notIn: stateList("States, none of which the execution may have.", { dynamic: true }),
  },
  test: (properties, scope) => isSelectedState(properties, executionOf(scope, "ExecutionStatus").state),
};
