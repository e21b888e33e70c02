/** `core.condition.ExecutionStatus`: an execution is in one of the given states. */
import type { ConditionType } from "../../model/trigger_catalog.ts";
import { stateList } from "../state_lists.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const executionStatusCondition: ConditionType = {
  form: "planned",
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
};
