/** The time within which several conditions must come true. */
import type { Instant } from "../base/clock.ts";
import { parseDuration } from "../base/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import { epochSecondsOf, findZone } from "../expr/dates/zone.ts";
import type { PropertySchemas } from "../model/schema.ts";
import type { ConditionWindow } from "../model/trigger_catalog.ts";

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

const DAY_MS = 86_400_000;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?/;

/**
 * Since when something must have been met to count: `timeWindow` says it, else the older `window` and `windowAdvance`
 * beside it. @throws Error one of its members means nothing
 */
export function windowStart(properties: JsonObject): ConditionWindow["from"] {
  const given = ownProperty(properties, "timeWindow");
  const window = isJsonObject(given) ? given : properties;
  const type = isJsonObject(given)
    ? String(ownProperty(given, "type") ?? "DURATION_WINDOW")
    : "DURATION_WINDOW";
  const lengthMs = durationOf(window, "window", DAY_MS);
  switch (type) {
    case "SLIDING_WINDOW":
      return (at) => at - lengthMs;
    case "DAILY_TIME_WINDOW":
      return dailyWindow(timeOf(window, "startTime", 0), timeOf(window, "endTime", DAY_MS));
    case "DAILY_TIME_DEADLINE":
      return dailyWindow(0, timeOf(window, "deadline", DAY_MS));
    default:
      return fixedWindow(lengthMs, durationOf(window, "windowAdvance", 0));
  }
}

/** Windows of one length, side by side, from midnight on. */
function fixedWindow(lengthMs: number, advanceMs: number): ConditionWindow["from"] {
  return (at, timeZone) => {
    const local = localOf(at, timeZone) - advanceMs;
    return instantOf(Math.floor(local / lengthMs) * lengthMs + advanceMs, timeZone);
  };
}

/** The same hours of each day; outside of them nothing counts. */
function dailyWindow(startMs: number, endMs: number): ConditionWindow["from"] {
  return (at, timeZone) => {
    const local = localOf(at, timeZone);
    const midnight = Math.floor(local / DAY_MS) * DAY_MS;
    const isWithin = local >= midnight + startMs && local <= midnight + endMs;
    return isWithin ? instantOf(midnight + startMs, timeZone) : undefined;
  };
}

function localOf(at: Instant, timeZone: string): number {
  return at + findZone(timeZone).offsetAt(Math.floor(at / 1000)) * 1000;
}

function instantOf(local: number, timeZone: string): Instant {
  const seconds = Math.floor(local / 1000);
  return epochSecondsOf(seconds, findZone(timeZone)) * 1000 + local - seconds * 1000;
}

function durationOf(properties: JsonObject, name: string, fallback: number): number {
  const value = ownProperty(properties, name) ?? null;
  if (value === null) return fallback;
  const ms = parseDuration(String(value));
  if (ms === undefined || (name === "window" && ms <= 0)) {
    throw new Error(`Invalid ${name} "${String(value)}"`);
  }
  return ms;
}

function timeOf(properties: JsonObject, name: string, fallback: number): number {
  const value: JsonValue = ownProperty(properties, name) ?? null;
  if (value === null) return fallback;
  const match = TIME.exec(String(value).trim());
  if (!match) {
    throw new Error(`Invalid ${name} "${String(value)}": it must be a time of day, such as "09:00:00"`);
  }
  const [, hour, minute, second = "0"] = match;
  return ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}
