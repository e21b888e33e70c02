/** Property schemas that several triggers and conditions share. */
import type { PropertySchema, PropertySchemas } from "../model/flows/schema.ts";
import { STATES } from "../model/executions/state.ts";

/** A list of states of executions. */
export function stateList(description: string, { dynamic = false } = {}): PropertySchema {
  return {
    type: "list",
    dynamic,
    items: { type: "string", dynamic, values: STATES, description: "A state." },
    description,
  };
}

/** `timezone` of a schedule. */
export const TIME_ZONE: PropertySchema = Object.freeze({
  type: "string",
  description: "Time zone, such as `Europe/Paris`; without it that of the server.",
});

/** `recoverMissedSchedules` of a schedule. */
export const RECOVER_MISSED: PropertySchema = Object.freeze({
  type: "string",
  values: ["ALL", "LAST", "NONE"],
  default: "ALL",
  description: "Which of the times that passed while the server was down start an execution afterwards.",
});

/** `trigger` of the executions of a schedule. */
export const SCHEDULE_OUTPUTS: PropertySchemas = Object.freeze({
  date: { type: "dateTime", description: "Time for which the execution was started." },
  next: { type: "dateTime", description: "Time after that one." },
  previous: { type: "dateTime", description: "Time before that one." },
});
