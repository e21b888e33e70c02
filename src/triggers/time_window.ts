/** Time windows within which several conditions must be met. */
import type { Instant } from "../base/time/clock.ts";
import { readDuration } from "../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import { epochSecondsOf, findZone } from "../languages/dates/mod.ts";
import type { PropertySchema, PropertySchemas } from "../model/flows/schema.ts";
import type { ConditionWindow } from "../model/triggers/trigger_catalog.ts";
import { DAY_MS, localMsOf, parseTimeOfDay, type TimeOfDay } from "./time_of_day.ts";

const WINDOW_TYPES = ["DURATION_WINDOW", "SLIDING_WINDOW", "DAILY_TIME_WINDOW", "DAILY_TIME_DEADLINE"];

const WINDOW_ZONE: PropertySchema = Object.freeze({
  type: "string",
  description: "Zone of its times and days, such as `Europe/Paris`; that of the server without it.",
});

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
  deadline: {
    type: "string",
    description: "Time of day before which all must be met, for `DAILY_TIME_DEADLINE`.",
  },
  timezone: WINDOW_ZONE,
});

/** Members of the `window` of a Flow trigger: a deadline, hours of the day, adjacent windows, or a look-back time. */
export const DEPENDENCY_WINDOW: PropertySchemas = Object.freeze({
  deadline: { type: "string", description: "Time of day before which all must have happened." },
  from: { type: "string", description: "Time of day from which on executions count." },
  to: { type: "string", description: "Time of day until which executions count." },
  every: { type: "duration", description: "Length of windows that lie side by side from midnight on." },
  offset: { type: "duration", description: "How much later than midnight the first of them begins." },
  lookback: { type: "duration", description: "How far back executions count." },
  timezone: WINDOW_ZONE,
  fireOnce: {
    type: "boolean",
    default: false,
    description: "Whether the trigger fires at most once in the window.",
  },
});

const MIDNIGHT: TimeOfDay = { ms: 0 };
const END_OF_DAY: TimeOfDay = { ms: DAY_MS };

/**
 * The start of the window: from `timeWindow`, else from the older `window` and `windowAdvance` next to it.
 * @throws Error a member is invalid
 */
export function windowStart(properties: JsonObject): ConditionWindow["from"] {
  const given = ownProperty(properties, "timeWindow");
  const window = isJsonObject(given) ? given : properties;
  const type = isJsonObject(given)
    ? String(ownProperty(given, "type") ?? "DURATION_WINDOW")
    : "DURATION_WINDOW";
  return inOwnZone(window, windowOfType(window, type));
}

function windowOfType(window: JsonObject, type: string): ConditionWindow["from"] {
  const lengthMs = durationOf(window, "window", DAY_MS);
  switch (type) {
    case "SLIDING_WINDOW":
      return (at) => at - lengthMs;
    case "DAILY_TIME_WINDOW":
      return dailyWindow(timeOf(window, "startTime", MIDNIGHT), timeOf(window, "endTime", END_OF_DAY));
    case "DAILY_TIME_DEADLINE":
      return dailyWindow(MIDNIGHT, timeOf(window, "deadline", END_OF_DAY));
    default:
      return fixedWindow(lengthMs, durationOf(window, "windowAdvance", 0));
  }
}

/** As {@link windowStart}, of the `window` of a Flow trigger; the day when it is empty. @throws Error a member is invalid */
export function dependencyWindowStart(window: JsonObject): ConditionWindow["from"] {
  return inOwnZone(window, dependencyWindow(window));
}

function dependencyWindow(window: JsonObject): ConditionWindow["from"] {
  const isGiven = (name: string) => (ownProperty(window, name) ?? null) !== null;
  if (isGiven("deadline")) return dailyWindow(MIDNIGHT, timeOf(window, "deadline", END_OF_DAY));
  if (isGiven("from") || isGiven("to")) {
    return dailyWindow(timeOf(window, "from", MIDNIGHT), timeOf(window, "to", END_OF_DAY));
  }
  if (isGiven("lookback")) {
    const lengthMs = durationOf(window, "lookback", DAY_MS);
    return (at) => at - lengthMs;
  }
  return fixedWindow(durationOf(window, "every", DAY_MS), durationOf(window, "offset", 0));
}

/** Uses the zone of the window, if any, instead of the zone of the server. */
function inOwnZone(window: JsonObject, from: ConditionWindow["from"]): ConditionWindow["from"] {
  const zone = ownProperty(window, "timezone") ?? null;
  return zone === null ? from : (at) => from(at, String(zone));
}

/** Adjacent windows of one length, from midnight on. */
function fixedWindow(lengthMs: number, advanceMs: number): ConditionWindow["from"] {
  return (at, timeZone) => {
    const local = localMsOf(at, timeZone) - advanceMs;
    return instantOf(Math.floor(local / lengthMs) * lengthMs + advanceMs, timeZone);
  };
}

/** The same hours of each day; `undefined` outside of them. */
function dailyWindow(start: TimeOfDay, end: TimeOfDay): ConditionWindow["from"] {
  const startMs = start.ms, endMs = end.ms, ownZone = start.zone ?? end.zone;
  return (at, serverZone) => {
    const timeZone = ownZone ?? serverZone;
    const local = localMsOf(at, timeZone);
    const midnight = Math.floor(local / DAY_MS) * DAY_MS;
    const isWithin = local >= midnight + startMs && local <= midnight + endMs;
    return isWithin ? instantOf(midnight + startMs, timeZone) : undefined;
  };
}

function instantOf(local: number, timeZone: string): Instant {
  const seconds = Math.floor(local / 1000);
  return epochSecondsOf(seconds, findZone(timeZone)) * 1000 + local - seconds * 1000;
}

const LENGTHS: ReadonlySet<string> = new Set(["window", "every", "lookback"]);

function durationOf(properties: JsonObject, name: string, fallback: number): number {
  const value = ownProperty(properties, name) ?? null;
  if (value === null) return fallback;
  const ms = readDuration(value);
  if (ms === undefined || (LENGTHS.has(name) && ms <= 0)) {
    throw new Error(`Invalid ${name} "${String(value)}"`);
  }
  return ms;
}

function timeOf(properties: JsonObject, name: string, fallback: TimeOfDay): TimeOfDay {
  const value: JsonValue = ownProperty(properties, name) ?? null;
  if (value === null) return fallback;
  const time = parseTimeOfDay(String(value));
  if (time) return time;
  throw new Error(`Invalid ${name} "${String(value)}": it must be a time of day, such as "09:00:00"`);
}
