/** Which stored state a task means. */
import type { JsonObject } from "../../base/json.ts";
import type { StateId } from "../../model/ports/states.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { flagOf, textOf } from "../property_values.ts";

/** The state that `name`, `namespace` and `taskrunValue` name. @throws Error */
export function stateIdOf(properties: JsonObject, context: RunContext): StateId {
  const isShared = flagOf(properties, "namespace", false);
  return {
    namespace: context.namespace,
    name: textOf(properties, "name") || "default",
    flowId: isShared ? undefined : context.flowId,
    value: flagOf(properties, "taskrunValue", true) ? context.value : undefined,
  };
}

/** The error of a task that needs a state which is not there. */
export function missingState({ name }: StateId): Error {
  return new Error(`No state found for name '${name}' and \`errorOnMissing\` is set to true`);
}
