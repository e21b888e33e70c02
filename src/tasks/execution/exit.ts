/** `core.execution.Exit`: ends the execution early. */
import { dynamicChoice } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { oneOf, textOf } from "../property_values.ts";

const EXIT_STATES = ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELED", "CANCELLED"] as const;

/** Has no outputs. The task run ends in the state of the execution. */
export const exitTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.Exit",
  aliases: [],
  description: "Ends the execution in a given state; tasks that have not started do not run.",
  pure: true,
  properties: {
    state: dynamicChoice(
      EXIT_STATES,
      "SUCCESS",
      "State of the execution; only `KILLED` interrupts running tasks.",
    ),
  },
  outputs: {},
  run(properties) {
    const name = oneOf(EXIT_STATES, (textOf(properties, "state") ?? "SUCCESS").trim().toUpperCase(), "state");
    const state = name === "CANCELED" ? "CANCELLED" : name;
    return { state, outputs: {}, effects: { exit: state } };
  },
};
