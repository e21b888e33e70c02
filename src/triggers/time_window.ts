/** The time within which several conditions must come true. */
import type { PropertySchemas } from "../model/schema.ts";

const WINDOW_TYPES = ["DURATION_WINDOW", "SLIDING_WINDOW", "DAILY_TIME_WINDOW", "DAILY_TIME_DEADLINE"];

/** Members of `timeWindow`. */
export const TIME_WINDOW: PropertySchemas = Object.freeze({
  type: {
    type: "string",
    values: WINDOW_TYPES,
    default: "DURATION_WINDOW",
    description: "How the window is given.",
  },
  window: { type: "duration", description: "Length of the window; a day without it." },
  windowAdvance: { type: "duration", description: "How much later than midnight the window begins." },
  startTime: { type: "string", description: "Time of day at which a `DAILY_TIME_WINDOW` begins." },
  endTime: { type: "string", description: "Time of day at which a `DAILY_TIME_WINDOW` ends." },
  deadline: { type: "string", description: "Time of day before which a `DAILY_TIME_DEADLINE` asks for all." },
});
