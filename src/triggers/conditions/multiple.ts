/** `core.condition.MultipleCondition`: several conditions hold within a time, not at once. */
import type { ConditionType } from "../../model/trigger_catalog.ts";
import { TIME_WINDOW } from "../time_window.ts";

/** Remembers which conditions are met. */
export const multipleCondition: ConditionType = {
  form: "planned",
  type: "core.condition.MultipleCondition",
  aliases: ["core.models.conditions.types.MultipleCondition"],
  description: "True when each of its conditions was met by an execution within a time.",
  properties: {
    id: { type: "string", required: true, description: "Name of the condition, unique within the flow." },
    conditions: {
      type: "conditionMap",
      required: true,
      description: "Conditions by name, each of which an execution must meet.",
    },
    timeWindow: {
      type: "object",
      properties: TIME_WINDOW,
      description: "Time within which they must be met.",
    },
    window: {
      type: "duration",
      deprecated: "use `timeWindow.window`",
      description: "Length of the time; a day without it.",
    },
    windowAdvance: {
      type: "duration",
      deprecated: "use `timeWindow.windowAdvance`",
      description: "How much later than midnight the time begins.",
    },
    resetOnSuccess: {
      type: "boolean",
      default: true,
      description: "Whether everything must be met again after the trigger has fired.",
    },
  },
};
