/** How tasks name an execution of another flow. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { textOf } from "../property_values.ts";

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
