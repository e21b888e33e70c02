/** `core.condition.Expression`: an expression is true. */
import { isExpressionTrue } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";

/** Tests the value of an expression. */
export const expressionCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.Expression",
  aliases: [
    "core.condition.ExpressionCondition",
    "core.models.conditions.types.ExpressionCondition",
    "core.condition.VariableCondition",
    "core.models.conditions.types.VariableCondition",
  ],
  description: "True when an expression is true.",
  properties: {
    expression: {
      type: "string",
      required: true,
      dynamic: true,
      description: "Expression; an empty text, `false` and null are false, anything else is true, also `0`.",
    },
  },
  test: isExpressionTrue,
};
