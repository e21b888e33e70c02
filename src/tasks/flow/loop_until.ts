/** `core.flow.LoopUntil`: repeats its tasks until a condition is true. */
import { dynamicFlag, dynamicProperty, type PropertySchemas } from "../../model/flows/schema.ts";
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { HANDLER_PROPERTIES } from "./flowable_properties.ts";

const CHECK_FREQUENCY: PropertySchemas = Object.freeze({
  interval: dynamicProperty("duration", "Wait between two passes.", {
    default: "PT1S",
    sign: "notNegative",
  }),
  maxIterations: dynamicProperty("integer", "Maximum number of passes.", { default: 100, minimum: 1 }),
  maxDuration: dynamicProperty("duration", "Time after which no pass starts.", {
    default: "PT1H",
    sign: "notNegative",
  }),
});

/** Output: `iterationCount`. */
export const loopUntilTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.LoopUntil",
  aliases: ["core.flow.WaitFor", "core.tasks.flows.WaitFor"],
  description: "Repeats its tasks until a condition is true or a limit is reached.",
  properties: {
    condition: {
      type: "string",
      required: true,
      description: "Expression that is evaluated after each pass and ends the loop when it is true.",
    },
    tasks: { type: "tasks", required: true, description: "Tasks of one pass, in this order." },
    checkFrequency: dynamicProperty("object", "How often, and for how long, the tasks run.", {
      properties: CHECK_FREQUENCY,
    }),
    failOnMaxReached: dynamicFlag(false, "Whether reaching a limit is a failure."),
    ...HANDLER_PROPERTIES,
  },
  outputs: {
    iterationCount: { type: "integer", description: "Number of the last pass; the first one is `1`." },
  },
};
