/** `core.trigger.Flow`: executions of other flows start an execution. */
import type { TriggerType } from "../model/trigger_catalog.ts";
import { DEPENDS_ON } from "./depends_on.ts";
import { PRECONDITIONS } from "./preconditions.ts";
import { stateList } from "./state_lists.ts";

/** Gives what is known of the execution that fired it. */
export const flowTrigger: TriggerType = {
  form: "flow",
  type: "core.trigger.Flow",
  aliases: ["core.models.triggers.types.Flow"],
  description: "Starts an execution when executions of other flows reach a state.",
  properties: {
    states: stateList(
      "States to react to; without it those of `dependsOn`, or all in which an execution has ended.",
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
    outputs: {
      type: "map",
      description:
        "Its outputs; with `dependsOn` also those of all executions that it depended on, each under the id of its flow.",
    },
  },
};
