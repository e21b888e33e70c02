/** What conditions on a date have in common. */
import type { PropertySchema } from "../../model/schema.ts";

/** `date` of a condition. */
export const CONDITION_DATE: PropertySchema = Object.freeze({
  type: "string",
  dynamic: true,
  default: "{{ trigger.date }}",
  description: "Date that is tested; that of the trigger without it.",
});

/** `dayOfWeek` of a condition. */
export const DAY_OF_WEEK: PropertySchema = Object.freeze({
  type: "string",
  required: true,
  dynamic: true,
  values: ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"],
  description: "Day of the week.",
});
