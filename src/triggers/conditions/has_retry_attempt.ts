/** `core.condition.HasRetryAttempt`: a task of an execution was tried a given number of times. */
import { textsOf } from "./values.ts";
import type { TestedConditionType } from "../../model/trigger_catalog.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const hasRetryAttemptCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.HasRetryAttempt",
  aliases: [
    "core.condition.HasRetryAttemptCondition",
    "core.models.conditions.types.HasRetryAttemptCondition",
  ],
  description: "True for executions with a task run that is at one of the given attempts.",
  properties: {
    in: {
      type: "list",
      required: true,
      dynamic: true,
      items: { type: "integer", dynamic: true, minimum: 0, description: "Number of an attempt." },
      description: "Numbers of attempts.",
    },
  },
  test(properties, { execution }) {
    const wanted = textsOf(properties, "in")?.map(Number) ?? [];
    return execution?.attemptCounts.some((count) => wanted.includes(count)) ?? false;
  },
};
