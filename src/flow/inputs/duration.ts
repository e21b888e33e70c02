/** DURATION: an ISO 8601 duration or a number of seconds, kept in the form of hours, minutes and seconds. */
import { formatDuration, readDuration } from "../../base/time/duration.ts";
import { boundedInput, DURATION_BOUNDS } from "./bounds.ts";

/** `min` and `max` are inclusive. */
export const durationInput = boundedInput("DURATION", {
  names: DURATION_BOUNDS,
  properties: {
    min: { type: "duration", description: "Shortest value." },
    max: { type: "duration", description: "Longest value." },
  },
  hint: 'it is neither an ISO 8601 duration such as "PT5M" nor a number of seconds',
  read: readDuration,
  normalize: formatDuration,
});
