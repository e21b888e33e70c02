/** Properties that identify or select executions. */
import type { JsonObject } from "../../base/json.ts";
import { type State, STATES } from "../../model/executions/state.ts";
import {
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { instantOf, oneOf, textOf, textsOf } from "../property_values.ts";

/** `namespace` and `flowId` beside an `executionId`. */
export const EXECUTION_FLOW: PropertySchemas = Object.freeze({
  namespace: dynamicText("Namespace of the execution's flow; requires `flowId` and `executionId`."),
  flowId: dynamicText("Id of the execution's flow; requires `namespace` and `executionId`."),
});

/** The id of an execution, optionally with its flow. */
interface NamedExecution {
  readonly executionId?: string;
  readonly flow?: { readonly namespace: string; readonly flowId: string };
}

/** Reads `executionId`, `namespace` and `flowId`. @throws Error incomplete flow, or a flow without an execution */
export function namedExecutionOf(properties: JsonObject): NamedExecution {
  const [executionId, namespace, flowId] = ["executionId", "namespace", "flowId"].map((name) =>
    textOf(properties, name)?.trim() || undefined
  );
  if (namespace === undefined && flowId === undefined) return { executionId };
  if (executionId !== undefined && namespace !== undefined && flowId !== undefined) {
    return { executionId, flow: { namespace, flowId } };
  }
  throw new Error(
    "Cannot find the execution: namespace and flowId must be given together, and with an executionId",
  );
}

/** Reads `namespace`, `flowId`, `startDate` and `endDate` of a purge. @throws Error no end, or a flow without its namespace */
export function oldExecutionsOf(properties: JsonObject) {
  const namespace = textOf(properties, "namespace") || undefined;
  const flowId = textOf(properties, "flowId") || undefined;
  const endedBefore = instantOf(properties, "endDate");
  if (endedBefore === undefined) throw new Error("Missing endDate: it is empty");
  if (flowId !== undefined && namespace === undefined) {
    throw new Error("Cannot purge by flowId: the namespace is missing");
  }
  const startedFrom = instantOf(properties, "startDate");
  return { namespace, flowId, withChildNamespaces: flowId === undefined, startedFrom, endedBefore };
}

/** Schema of a list of states. */
export function stateList(description: string): PropertySchema {
  return dynamicProperty("list", description, { items: dynamicText("A state.", { values: STATES }) });
}

/** The value of the property `states`; `undefined` if it is absent. @throws Error unknown state */
export function statesOf(properties: JsonObject): State[] | undefined {
  return textsOf(properties, "states")?.map((text) => oneOf(STATES, text.trim().toUpperCase(), "state"));
}
