/** `core.execution.Exit`: ends the execution before its last task. */
import type { JsonObject } from "../../base/json.ts";
import type { AttemptOutcome, ExecutionEffects, RunnableTaskType } from "../../model/task_catalog.ts";
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
  run: exitExecution,
};

type ExitState = NonNullable<ExecutionEffects["exit"]>;

/** How the task run itself ends: as the execution does, where an attempt can end so and its end still counts. */
const ENDS: ReadonlyMap<string, { readonly exit: ExitState; readonly own: AttemptOutcome["state"] }> =
  new Map([
    ["SUCCESS", { exit: "SUCCESS", own: "SUCCESS" }],
    ["WARNING", { exit: "WARNING", own: "WARNING" }],
    ["FAILED", { exit: "FAILED", own: "FAILED" }],
    ["KILLED", { exit: "KILLED", own: "SUCCESS" }],
    ["CANCELED", { exit: "CANCELLED", own: "SUCCESS" }],
    ["CANCELLED", { exit: "CANCELLED", own: "SUCCESS" }],
  ]);

function exitExecution(properties: JsonObject): AttemptOutcome {
  const name = (textOf(properties, "state") ?? "SUCCESS").trim().toUpperCase();
  const end = ENDS.get(name);
  if (!end) throw new Error(`Invalid state "${name}": it must be one of ${[...ENDS.keys()].join(", ")}`);
  return { state: end.own, outputs: {}, effects: { exit: end.exit } };
}
