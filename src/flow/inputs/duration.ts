/** DURATION: an ISO 8601 duration, kept in the form of hours, minutes and seconds. */
import { formatDuration, parseDuration } from "../../base/duration.ts";
import { boundedInput, DURATION_BOUNDS } from "./bounds.ts";

/** `min` and `max` are inclusive. */
export const durationInput = boundedInput("DURATION", {
  names: DURATION_BOUNDS,
  properties: {
    min: { type: "duration", description: "Shortest value." },
    max: { type: "duration", description: "Longest value." },
  },
  hint: 'it is not an ISO 8601 duration such as "PT5M"',
  read: (value) => typeof value === "string" ? parseDuration(value) : undefined,
  normalize: formatDuration,
});
