/** Properties that identify a stored state. */
import type { JsonObject } from "../../base/json.ts";
import {
  dynamicFlag,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import type { StateId } from "../../model/ports/states.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { flagOf, textOf } from "../property_values.ts";

/** `name`, `namespace` and `taskrunValue`. */
export const STATE_PROPERTIES: PropertySchemas = Object.freeze({
  name: dynamicText("Name of the state.", { default: "default" }),
  namespace: dynamicFlag(false, "Whether all flows of the namespace share the state."),
  taskrunValue: dynamicFlag(true, "Whether each value of a loop has a separate state."),
});

/** `errorOnMissing` of tasks that read or delete a state. */
export const ERROR_ON_MISSING_STATE: PropertySchema = dynamicFlag(
  false,
  "Whether a missing state is a failure.",
);

/** The id from these properties. @throws Error invalid flag */
export function stateIdOf(properties: JsonObject, context: RunContext): StateId {
  const isShared = flagOf(properties, "namespace", false);
  return {
    namespace: context.namespace,
    name: textOf(properties, "name") || "default",
    flowId: isShared ? undefined : context.flowId,
    value: flagOf(properties, "taskrunValue", true) ? context.value : undefined,
  };
}

/** Error for a missing state. */
export function missingState({ name }: StateId): Error {
  return new Error(`No state found for name '${name}' and \`errorOnMissing\` is set to true`);
}
