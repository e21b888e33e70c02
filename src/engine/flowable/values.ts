/** Rendered properties of flowable tasks: values of loops, limits, durations. */
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import type { Beginning } from "./flowable.ts";

/** The distinct values as texts, or the failure. */
export function readValues(value: JsonValue | undefined, what: string): Beginning {
  const list = listOf(value);
  if (!list) {
    return {
      failure: `Cannot loop over the values of ${what}: they must be a list, but are ${shown(value)}`,
    };
  }
  // Of equal values one is kept, so that all nulls are one.
  if (list.includes(null)) return { failure: `Found '1' null values on Each, with values=${shown(list)}` };
  return { decision: { values: [...new Set(list.map(textOf))] } };
}

/** The values from their stored form. */
export function valuesOf(decision: JsonObject): string[] {
  return decision.values as string[];
}

/** A rendered limit; 0 means none. @throws Error it is no whole number */
export function limitOf(value: JsonValue | undefined, fallback: number): number {
  const limit = value === undefined || value === null ? fallback : Number(value);
  if (!Number.isInteger(limit) || limit < 0) {
    throw new Error(`Invalid limit "${String(value)}": it must be a whole number of at least 0`);
  }
  return limit === 0 ? Infinity : limit;
}

/** A rendered duration in milliseconds. @throws Error it is no duration, or negative */
export function durationMsOf(duration: JsonValue): number {
  const ms = readDuration(duration);
  if (ms !== undefined && ms >= 0) return ms;
  throw new Error(
    `Invalid duration "${
      String(duration)
    }": it must be an ISO 8601 duration such as PT10S, or a number of seconds`,
  );
}

function listOf(value: JsonValue | undefined): JsonValue[] | undefined {
  const parsed = typeof value === "string" ? parsedText(value) : value;
  if (Array.isArray(parsed)) return parsed;
  if (!isJsonObject(parsed)) return undefined;
  return Object.keys(parsed).map((key) => ({ key, value: parsed[key] as JsonValue }));
}

/** The value of a JSON text; `undefined` for any other text. */
export function parsedText(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined; // Not JSON: the caller reports it.
  }
}

function textOf(item: JsonValue): string {
  return typeof item === "object" && item !== null ? stringifyJson(item) : String(item);
}

/** A value for a message, at most 200 characters. */
export function shown(value: JsonValue | undefined): string {
  const text = value === undefined
    ? "nothing"
    : typeof value === "string"
    ? `"${value}"`
    : stringifyJson(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
