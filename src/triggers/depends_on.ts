/** `dependsOn` of a Flow trigger: executions of other flows, how many of them, and within which time. */
import { isJsonObject, type JsonObject, objectsOf, ownProperty, stringifyJson } from "../base/json.ts";
import { isTruthyText } from "../base/text/truthy_text.ts";
import type { PropertySchemas } from "../model/flows/schema.ts";
import {
  type ConditionPart,
  type ConditionWindow,
  DEPENDENCY_STATES,
} from "../model/triggers/trigger_catalog.ts";
import { hasLabels, textOf, textsOf } from "./conditions/properties.ts";
import { stateList } from "./shared_properties.ts";
import { DEPENDENCY_WINDOW, dependencyWindowStart } from "./time_window.ts";

const DEPENDENCY: PropertySchemas = Object.freeze({
  flowId: { type: "string", description: "Id of the flow; any without it." },
  namespace: { type: "string", description: "Namespace of the flow, compared exactly; any without it." },
  states: stateList("States in which an execution counts; `SUCCESS` and `WARNING` without it."),
  labels: { type: "map", orList: true, description: "Labels that an execution must have." },
  when: {
    type: "string",
    description:
      "Expression that must be true; it reads `namespace`, `flowId`, `state`, `labels`, `outputs` and `hasRetryAttempt` of the execution.",
  },
});

/** `dependsOn` and the properties that need it. */
export const DEPENDS_ON: PropertySchemas = Object.freeze({
  dependsOn: {
    type: "list",
    items: { type: "object", properties: DEPENDENCY, description: "An execution of another flow." },
    description: "Executions that must have happened; a newer form of `preconditions`.",
  },
  mode: {
    type: "string",
    values: ["ALL", "ANY", "AT_LEAST"],
    default: "ALL",
    description: "How many entries of `dependsOn` must be met; with `AT_LEAST` as many as `minSatisfied`.",
  },
  minSatisfied: {
    type: "integer",
    minimum: 1,
    description: "Entries of `dependsOn` that must be met with `mode: AT_LEAST`.",
  },
  window: {
    type: "object",
    properties: DEPENDENCY_WINDOW,
    description:
      "Time within which they must have happened; without it the day, and all of it again after each start.",
  },
  onMiss: {
    type: "map",
    planned: true,
    description: "What happens when the deadline of `window` passes without a start.",
  },
});

/** The condition window of `dependsOn`. @throws Error a member is invalid */
export function dependenciesOf(properties: JsonObject): ConditionWindow {
  const entries = objectsOf(ownProperty(properties, "dependsOn"));
  // Equal entries are one part.
  const parts = new Map(entries.map((entry) => [nameOf(entry), partOf(entry)]));
  const window = ownProperty(properties, "window");
  return {
    id: "dependsOn",
    parts,
    needed: neededOf(properties, parts.size),
    outputs: "byFlow",
    isOnce: isJsonObject(window) && textOf(window, "fireOnce") === "true",
    resetOnSuccess: !isJsonObject(window),
    from: dependencyWindowStart(isJsonObject(window) ? window : {}),
  };
}

/** Does not depend on the position of the entry. */
function nameOf(entry: JsonObject): string {
  const members = ["namespace", "flowId", "when", "states", "labels"];
  return stringifyJson(members.map((name) => ownProperty(entry, name) ?? null));
}

function partOf(entry: JsonObject): ConditionPart {
  const namespace = textOf(entry, "namespace"), flowId = textOf(entry, "flowId");
  const states: readonly string[] = textsOf(entry, "states") ?? DEPENDENCY_STATES;
  const labels = ownProperty(entry, "labels"), when = textOf(entry, "when");
  return async ({ execution, text }) => {
    if (!execution || !states.includes(execution.state)) return false;
    if (namespace !== "" && execution.namespace !== namespace) return false;
    if (flowId !== "" && execution.id !== flowId) return false;
    return hasLabels(execution, labels) && (when === "" || isTruthyText(await text(when)));
  };
}

function neededOf(properties: JsonObject, count: number): number {
  switch (textOf(properties, "mode")) {
    case "ANY":
      return 1;
    case "AT_LEAST":
      return Math.min(count, Math.max(1, Number(textOf(properties, "minSatisfied") || count)));
    default:
      return count;
  }
}
