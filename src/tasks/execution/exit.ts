/** `core.execution.Exit`: ends the execution before its last task. */
import type { ExecutionEffects, RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { textOf } from "../property_values.ts";

/** Has no outputs. */
export const exitTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.Exit",
  aliases: [],
  description: "Ends the execution in a given state; tasks that have not started never run.",
  pure: true,
  properties: {
    state: {
      type: "string",
      dynamic: true,
      values: ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELED", "CANCELLED"],
      default: "SUCCESS",
      description: "State of the execution; only `KILLED` interrupts tasks that still run.",
    },
  },
  outputs: {},
  run(properties) {
    const name = (textOf(properties, "state") ?? "SUCCESS").trim().toUpperCase();
    const end = ENDS.get(name);
    if (!end) throw new Error(`Invalid state "${name}": it must be one of ${[...ENDS.keys()].join(", ")}`);
    return { state: end, outputs: {}, effects: { exit: end } };
  },
};

type ExitState = NonNullable<ExecutionEffects["exit"]>;

/** The task run ends as the execution does. */
const ENDS: ReadonlyMap<string, ExitState> = new Map([
  ["SUCCESS", "SUCCESS"],
  ["WARNING", "WARNING"],
  ["FAILED", "FAILED"],
  ["KILLED", "KILLED"],
  ["CANCELED", "CANCELLED"],
  ["CANCELLED", "CANCELLED"],
]);
