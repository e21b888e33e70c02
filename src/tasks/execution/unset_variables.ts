/** `core.execution.UnsetVariables`: removes variables of the execution. */
import { isJsonObject, type JsonObject, ownProperty, setOwnProperty } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf, textsOf } from "../property_values.ts";

/** Has no outputs. */
export const unsetVariablesTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.UnsetVariables",
  aliases: [],
  description: "Removes variables of the execution.",
  pure: true,
  properties: {
    variables: dynamicProperty("list", "Names of the variables.", {
      required: true,
      orText: true,
      items: { type: "string", description: "Name of a variable, or a path into it: `name.inner`." },
    }),
    ignoreMissing: dynamicFlag(
      false,
      "Whether missing variables are accepted; otherwise the task fails.",
    ),
  },
  outputs: {},
  run(properties, context) {
    const names = new Set(textsOf(properties, "variables") ?? []);
    const missing = [...names].filter((name) => !hasPath(context.variables, pathOf(context.variables, name)));
    if (!flagOf(properties, "ignoreMissing", false) && missing.length > 0) {
      throw new Error(
        `\`ignoreMissing\` is set to false and the following variables do not exist: ${missing.join(", ")}`,
      );
    }
    const effects = {
      // A getter, read when the effect is applied: parallel tasks may have set other variables meanwhile.
      get variables() {
        return [...names].reduce(
          (left, name) => without(left, pathOf(left, name)),
          context.variables,
        );
      },
    };
    return { state: "SUCCESS", outputs: {}, effects };
  },
};

/** A name with dots is a path into maps, unless a variable has that name. */
function pathOf(variables: JsonObject, name: string): readonly string[] {
  return Object.hasOwn(variables, name) ? [name] : name.split(".");
}

function hasPath(variables: JsonObject, [name = "", ...rest]: readonly string[]): boolean {
  const value = ownProperty(variables, name);
  if (rest.length === 0) return value !== undefined;
  return isJsonObject(value) && hasPath(value, rest);
}

function without(variables: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const value = ownProperty(variables, name);
  if (value === undefined) return variables;
  if (rest.length === 0) return Object.fromEntries(Object.entries(variables).filter(([key]) => key !== name));
  if (!isJsonObject(value)) return variables;
  const copy = { ...variables };
  setOwnProperty(copy, name, without(value, rest));
  return copy;
}
