/** `core.execution.UnsetVariables`: removes variables of the execution. */
import type { JsonObject } from "../../base/json.ts";
import type { RunContext } from "../../model/run_context.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../model/task_catalog.ts";
import { flagOf, textsOf } from "../property_values.ts";

/** Has no outputs. */
export const unsetVariablesTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.UnsetVariables",
  aliases: [],
  description: "Removes variables of the execution.",
  pure: true,
  properties: {
    variables: {
      type: "list",
      required: true,
      dynamic: true,
      orText: true,
      items: { type: "string", description: "Name of a variable." },
      description: "Names of the variables.",
    },
    ignoreMissing: {
      type: "boolean",
      dynamic: true,
      default: false,
      description: "Whether a missing variable is accepted; the task fails when it is not.",
    },
  },
  outputs: {},
  run: unsetVariables,
};

function unsetVariables(properties: JsonObject, context: RunContext): AttemptOutcome {
  const names = new Set(textsOf(properties, "variables") ?? []);
  const missing = [...names].filter((name) => !Object.hasOwn(context.variables, name));
  if (!flagOf(properties, "ignoreMissing", false) && missing.length > 0) {
    throw new Error(
      `\`ignoreMissing\` is set to false and the following variables do not exist: ${missing.join(", ")}`,
    );
  }
  const effects = {
    // Read when it takes effect: a task beside this one may have set others meanwhile.
    get variables() {
      return without(context.variables, names);
    },
  };
  return { state: "SUCCESS", outputs: {}, effects };
}

function without(variables: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !names.has(name)));
}
