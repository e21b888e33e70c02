/** The date that conditions test, and days of the week. */
import type { Instant } from "../../base/time/clock.ts";
import { daysInMonth } from "../../base/time/iso_8601.ts";
import { type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { type DateTime, dateTimeAt, dayOfWeek, findZone, parseIsoDate } from "../../languages/dates/mod.ts";
import type { PropertySchema } from "../../model/flows/schema.ts";
import type { ConditionScope } from "../../model/triggers/trigger_catalog.ts";

/** `date` of a condition. */
export const CONDITION_DATE: PropertySchema = Object.freeze({
  type: "string",
  dynamic: true,
  default: "{{ trigger.date }}",
  description: "Date that is tested; that of the trigger without it.",
});

/** Days by their number; 0 is Sunday. */
export const DAYS_OF_WEEK: readonly string[] = Object.freeze([
  ...["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"],
]);

/** `dayOfWeek` of a condition. */
export const DAY_OF_WEEK: PropertySchema = Object.freeze({
  type: "string",
  required: true,
  dynamic: true,
  values: [...DAYS_OF_WEEK.slice(1), DAYS_OF_WEEK[0] as string],
  description: "Day of the week.",
});

/** A tested date, in its own zone. */
interface TestedDate {
  readonly epochMs: Instant;
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly daysInMonth: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/** The `date` of a condition, else the date of the trigger. @throws Error it is no date */
export function dateOf(properties: JsonObject, scope: ConditionScope): TestedDate {
  const given = ownProperty(properties, "date") ?? null;
  const date = given === null ? triggerDate(scope) : readDate(given, scope);
  const { year, month, day } = date;
  return {
    epochMs: msOf(date),
    year,
    month,
    day,
    daysInMonth: daysInMonth(year, month),
    weekday: dayOfWeek(date) % 7,
  };
}

/** The instant of a date. @throws Error it is no date */
export function instantOf(value: JsonValue, scope: ConditionScope): Instant {
  return msOf(readDate(value, scope));
}

/**
 * True when a date lies after the limit `after` and before the limit `before`; `latenessOf` gives how much later it is
 * than a limit. @throws Error both are missing
 */
export function isBetween(properties: JsonObject, latenessOf: (limit: JsonValue) => number): boolean {
  const after = ownProperty(properties, "after") ?? null, before = ownProperty(properties, "before") ?? null;
  if (after === null && before === null) {
    throw new Error("Invalid condition with no before nor after: it needs one of them, or both");
  }
  return (after === null || latenessOf(after) > 0) && (before === null || latenessOf(before) < 0);
}

function triggerDate({ date, timeZone }: ConditionScope): DateTime {
  const seconds = Math.floor(date / 1000);
  return dateTimeAt(seconds, (date - seconds * 1000) * 1_000_000, findZone(timeZone));
}

function readDate(value: JsonValue, { timeZone }: ConditionScope): DateTime {
  return parseIsoDate(String(value).trim(), findZone(timeZone));
}

function msOf({ epochSeconds, nanos }: DateTime): Instant {
  return epochSeconds * 1000 + Math.floor(nanos / 1_000_000);
}
