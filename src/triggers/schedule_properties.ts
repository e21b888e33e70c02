/** What triggers that fire at times have in common. */
import type { PropertySchema, PropertySchemas } from "../model/flows/schema.ts";

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

/** What schedules leave in `trigger`. */
export const SCHEDULE_OUTPUTS: PropertySchemas = Object.freeze({
  date: { type: "dateTime", description: "Time for which the execution was started." },
  next: { type: "dateTime", description: "Time after that one." },
  previous: { type: "dateTime", description: "Time before that one." },
});
