/** DURATION: an ISO 8601 duration, kept in the form of hours, minutes and seconds. */
import { formatDuration, parseDuration } from "../../base/duration.ts";
import type { JsonValue } from "../../base/json.ts";
import { boundMistakes, DURATION_BOUNDS, withinBounds } from "./bounds.ts";
import { expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

/** `min` and `max` are inclusive. */
export const durationInput: InputType = {
  names: ["DURATION"],
  properties: {
    min: { type: "duration", description: "Shortest value." },
    max: { type: "duration", description: "Longest value." },
  },
  convert(value, properties) {
    const ms = readMs(value);
    if (ms === undefined) {
      return expected("DURATION", shownValue(value), 'it is not an ISO 8601 duration such as "PT5M"');
    }
    return withinBounds(formatDuration(ms), properties, { names: DURATION_BOUNDS, read: readMs });
  },
  checkDeclaration: (properties) =>
    boundMistakes(properties, { names: DURATION_BOUNDS, read: readMs, type: "DURATION" }),
};

function readMs(value: JsonValue): number | undefined {
  return typeof value === "string" ? parseDuration(value) : undefined;
}
