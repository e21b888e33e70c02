/** How tasks name executions. */
import type { JsonObject } from "../../base/json.ts";
import { type State, STATES } from "../../model/executions/state.ts";
import { dynamicText, type PropertySchema, type PropertySchemas } from "../../model/flows/schema.ts";
import { oneOf, textOf, textsOf } from "../property_values.ts";

/** `namespace` and `flowId` beside an `executionId`. */
export const EXECUTION_FLOW: PropertySchemas = Object.freeze({
  namespace: dynamicText("Namespace of the execution's flow; goes with `flowId` and `executionId`."),
  flowId: dynamicText("Id of the execution's flow; goes with `namespace` and `executionId`."),
});

/** An execution as a task names it: by its id alone, or with its flow. */
interface NamedExecution {
  readonly executionId?: string;
  readonly flow?: { readonly namespace: string; readonly flowId: string };
}

/** What `executionId`, `namespace` and `flowId` name. @throws Error for a flow of which only a part is given, or without an execution */
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

/** Schema of a list of states with that description. */
export function stateList(description: string): PropertySchema {
  return {
    type: "list",
    dynamic: true,
    items: { type: "string", dynamic: true, values: STATES, description: "A state." },
    description,
  };
}

/** The states that the property `states` lists; `undefined` when it is absent. @throws Error for what is no state */
export function statesOf(properties: JsonObject): State[] | undefined {
  return textsOf(properties, "states")?.map((text) => oneOf(STATES, text.trim().toUpperCase(), "state"));
}
