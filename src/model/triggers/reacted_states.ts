/** The states of executions that a Flow trigger reacts to. */
import { isJsonObject, type JsonObject, objectsOf, ownProperty } from "../../base/json.ts";
import { TERMINAL_STATES } from "../executions/state.ts";
import { canonicalType } from "../flows/flow.ts";
import { DEPENDENCY_STATES } from "./trigger_catalog.ts";

/** All states that the trigger reacts to. */
export function reactedStates(properties: JsonObject): ReadonlySet<string> {
  const states = statesIn(properties) ?? dependencyStates(properties) ??
    [...ownStates(properties), ...upstreamStates(properties)];
  return new Set(states.filter((state) => state !== "CREATED"));
}

/**
 * States in which an execution counts for an entry of `preconditions` that names none: `states`, or else all in which an
 * execution has ended and those that a condition asks for.
 */
export function ownStates(properties: JsonObject): ReadonlySet<string> {
  return new Set(statesIn(properties) ?? [...TERMINAL_STATES, ...demandedStates(properties)]);
}

/** States that any entry of `dependsOn` accepts; `undefined` without entries. */
function dependencyStates(properties: JsonObject): string[] | undefined {
  const entries = objectsOf(ownProperty(properties, "dependsOn"));
  if (entries.length === 0) return undefined;
  return entries.flatMap((entry) => statesIn(entry) ?? [...DEPENDENCY_STATES]);
}

/** States that entries of `preconditions` name. */
function upstreamStates(properties: JsonObject): string[] {
  const preconditions = ownProperty(properties, "preconditions");
  if (!isJsonObject(preconditions)) return [];
  return objectsOf(ownProperty(preconditions, "flows")).flatMap((flow) => statesIn(flow) ?? []);
}

const STATUS_CONDITION = /\.ExecutionStatus(?:Condition)?$/;

/** States that conditions ask for; not those within other conditions, which need not hold. */
function demandedStates(properties: JsonObject): string[] {
  return objectsOf(ownProperty(properties, "conditions"))
    .filter((condition) => STATUS_CONDITION.test(canonicalType(String(ownProperty(condition, "type")))))
    .flatMap((condition) => statesIn(condition, "in") ?? []);
}

function statesIn(owner: JsonObject, name = "states"): string[] | undefined {
  const states = ownProperty(owner, name);
  return Array.isArray(states) ? states.map(String) : undefined;
}
