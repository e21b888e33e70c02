/** Instants as people and programs write them. */
import type { Instant } from "./clock.ts";
import { normalizeTimestamp, parseDay } from "./timestamp_text.ts";

/** The instant of a moment or a day, in UTC where no zone is given; `undefined` when the text is none. */
export function parseInstant(text: string): Instant | undefined {
  const day = parseDay(text);
  const normal = day === undefined
    ? normalizeTimestamp(text) ?? normalizeTimestamp(`${text}Z`)
    : `${day}T00:00:00Z`;
  return normal === undefined ? undefined : Date.parse(normal);
}

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?([Zz]|[+-]\d{2}:?\d{2})?(?:\[.*\])?)?$/;

/**
 * The instant of an ISO 8601 text in any form that existing clients send: without offset in UTC, without time midnight, finer
 * than milliseconds cut, also with the name of a zone in brackets. `undefined` when the text is none.
 */
export function parseIsoInstant(text: string): Instant | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, day = "", minutes = "00:00", seconds = "00", fraction = "", offset = "Z"] = match;
  if (parseDay(day) === undefined) return undefined;
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const at = Date.parse(`${day}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}${zone}`);
  return Number.isNaN(at) ? undefined : at;
}
