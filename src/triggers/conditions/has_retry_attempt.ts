/** `core.condition.HasRetryAttempt`: a task of an execution was tried again. */
import { executionOf, isSelectedState } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { stateList } from "../shared_properties.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const hasRetryAttemptCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.HasRetryAttempt",
  aliases: [
    "core.condition.HasRetryAttemptCondition",
    "core.models.conditions.types.HasRetryAttemptCondition",
  ],
  description: "True for executions in which a task was tried again.",
  properties: {
    in: stateList("States, one of which the attempt before the next one must have.", { dynamic: true }),
    notIn: stateList("States that do not count.", { dynamic: true }),
  },
  test(properties, scope) {
    const { retriedStates } = executionOf(scope, "HasRetryAttempt");
    return retriedStates.some((state) => isSelectedState(properties, state));
  },
};
