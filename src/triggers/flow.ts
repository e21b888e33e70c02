/** `core.trigger.Flow`: executions of other flows start an execution. */
import type { TriggerType } from "../model/triggers/trigger_catalog.ts";
import { DEPENDS_ON } from "./depends_on.ts";
import { PRECONDITIONS } from "./preconditions.ts";
import { stateList } from "./shared_properties.ts";

/** Sets `trigger` to the facts of the execution that fired it. */
export const flowTrigger: TriggerType = {
  form: "flow",
  type: "core.trigger.Flow",
  aliases: ["core.models.triggers.types.Flow"],
  description: "Starts an execution when executions of other flows reach a state.",
  properties: {
    states: stateList(
      "States to react to; without it those of `dependsOn`, or all in which an execution has ended and those that `preconditions` or conditions name.",
    ),
    preconditions: {
      type: "object",
      properties: PRECONDITIONS,
      description: "Executions that must have happened within a time.",
    },
    ...DEPENDS_ON,
  },
  outputs: {
    executionId: { type: "string", description: "Id of the execution." },
    namespace: { type: "string", description: "Namespace of its flow." },
    flowId: { type: "string", description: "Id of its flow." },
    flowRevision: { type: "integer", description: "Revision of its flow." },
    state: { type: "string", description: "State that it has reached." },
    startDate: { type: "dateTime", description: "When it was created." },
    endDate: { type: "dateTime", description: "When it ended; absent before." },
    firstFailedTaskId: { type: "string", description: "Its first task that has failed." },
    lastTaskId: { type: "string", description: "Its task that began last." },
    executionLabels: { type: "map", description: "Its labels as a tree, without its correlation id." },
    outputs: {
      type: "map",
      description:
        "Its outputs, together with those of all executions that have met `preconditions`; with `dependsOn` those of each that it depended on stand under the id of its flow, and under its namespace and that id.",
    },
  },
};
