/** `core.condition.MultipleCondition`: several conditions hold within a time window. */
import { isJsonObject, ownProperty } from "../../base/json.ts";
import type { ConditionPart, WindowConditionType } from "../../model/triggers/trigger_catalog.ts";
import { TIME_WINDOW, windowStart } from "../time_window.ts";

/** A window condition: met parts are stored until the window ends. */
export const multipleCondition: WindowConditionType = {
  form: "window",
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
  windowOf(properties) {
    const conditions = ownProperty(properties, "conditions");
    const parts = new Map<string, ConditionPart>();
    for (const [name, condition] of Object.entries(isJsonObject(conditions) ? conditions : {})) {
      parts.set(name, ({ holds }) => holds(condition));
    }
    return {
      id: String(ownProperty(properties, "id") ?? ""),
      parts,
      outputs: "merged",
      resetOnSuccess: String(ownProperty(properties, "resetOnSuccess") ?? true) !== "false",
      from: windowStart(properties),
    };
  },
};
