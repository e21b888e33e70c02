/** `core.trigger.Flow`: executions of other flows start an execution. */
import type { TriggerType } from "../model/trigger_catalog.ts";
import { PRECONDITIONS } from "./preconditions.ts";
import { stateList } from "./state_lists.ts";

/** Gives what is known of the execution that fired it. */
export const flowTrigger: TriggerType = {
  form: "flow",
  type: "core.trigger.Flow",
  aliases: ["core.models.triggers.types.Flow"],
  description: "Starts an execution when executions of other flows reach a state.",
  properties: {
    states: stateList("States to react to; without it all in which an execution has ended."),
    preconditions: {
      type: "object",
      properties: PRECONDITIONS,
      description: "Executions that must have happened within a time.",
    },
    dependsOn: {
      type: "list",
      planned: true,
      items: { type: "map", description: "A flow, and what its execution must be like." },
      description:
        "Flows of which each must have an execution in the window; a newer form of `preconditions`.",
    },
    window: {
      type: "map",
      planned: true,
      description: "Time within which the flows of `dependsOn` must have ended.",
    },
  },
  outputs: {
    executionId: { type: "string", description: "Id of the execution." },
    namespace: { type: "string", description: "Namespace of its flow." },
    flowId: { type: "string", description: "Id of its flow." },
    flowRevision: { type: "integer", description: "Revision of its flow." },
    state: { type: "string", description: "State that it has reached." },
    outputs: { type: "map", description: "Its outputs." },
  },
};
