/** Time zones: offsets from UTC at an instant, and instants of local times. Rules come from the platform's Intl. */
import { epochDays } from "../../base/time/iso_8601.ts";
import { fail } from "../values/mod.ts";

/** A time zone: a region of the zone database, or a fixed offset. */
export interface Zone {
  /** `Europe/Paris`, `UTC`, `+02:00`, `Z`. */
  readonly id: string;
  readonly isRegion: boolean;
  /** Seconds east of UTC at that second since the epoch. */
  readonly offsetAt: (epochSeconds: number) => number;
}

const OFFSET = /^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$/;
const LOCAL = /^(\d+)\/(\d+)\/(-?\d+) ?([AB])?\w*,? (\d+):(\d+):(\d+)$/;
const DAY_SECONDS = 86_400;
/** Creating the formatter of a zone takes 50 µs. */
const MAX_KEPT_ZONES = 64;
const keptZones = new Map<string, Zone>();

/** UTC as a region. */
export const UTC: Zone = { id: "UTC", isRegion: true, offsetAt: () => 0 };

/** The zone of an IANA id or an offset (`+02:00`, `+2`, `Z`). @throws ExpressionError `argument` */
export function findZone(id: string): Zone {
  return tryZone(id) ?? fail("argument", `Unknown time zone "${id}"`);
}

/** As {@link findZone}; `undefined` for an unknown id. */
export function tryZone(id: string): Zone | undefined {
  if (id === "UTC") return UTC;
  const kept = keptZones.get(id);
  if (kept) return kept;
  const zone = id === "Z" || id === "z" ? offsetZone(0) : offsetZoneOf(id) ?? regionZone(id);
  if (!zone) return undefined;
  if (keptZones.size >= MAX_KEPT_ZONES) keptZones.clear();
  keptZones.set(id, zone);
  return zone;
}

/** The zone of a fixed offset in seconds. */
export function offsetZone(offsetSeconds: number): Zone {
  return {
    id: offsetSeconds === 0 ? "Z" : offsetText(offsetSeconds, ":"),
    isRegion: false,
    offsetAt: () => offsetSeconds,
  };
}

/** `+02:00`, with that separator; seconds only when not 0. */
export function offsetText(offsetSeconds: number, separator: string): string {
  const size = Math.abs(offsetSeconds);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60];
  if (size % 60 !== 0) parts.push(size % 60);
  return (offsetSeconds < 0 ? "-" : "+") + parts.map((part) => String(part).padStart(2, "0")).join(separator);
}

function offsetZoneOf(id: string): Zone | undefined {
  const match = OFFSET.exec(id);
  if (!match) return undefined;
  const [, sign, hours, minutes = "0", seconds = "0"] = match;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (size > 18 * 3600 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  return offsetZone(sign === "-" ? -size : size);
}

function regionZone(id: string): Zone | undefined {
  const formatter = zoneFormatter(id);
  return formatter && { id, isRegion: true, offsetAt: (epochSeconds) => offsetOf(formatter, epochSeconds) };
}

function zoneFormatter(id: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: id,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

function offsetOf(formatter: Intl.DateTimeFormat, epochSeconds: number): number {
  const match = LOCAL.exec(formatter.format(epochSeconds * 1000));
  if (!match) return fail("argument", "Cannot tell the offset of that time");
  const [, month, day, year, era, hour, minute, second] = match;
  const fullYear = era === "B" ? 1 - Number(year) : Number(year);
  const days = epochDays(fullYear, Number(month), Number(day));
  return days * DAY_SECONDS + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - epochSeconds;
}

/**
 * Epoch seconds of a local time. Of a time that occurs twice, the earlier; a time that a change of the clock skips moves
 * forward by the length of the gap.
 */
export function epochSecondsOf(localSeconds: number, zone: Zone): number {
  const before = zone.offsetAt(localSeconds - DAY_SECONDS);
  const after = zone.offsetAt(localSeconds + DAY_SECONDS);
  const early = localSeconds - before;
  if (before === after || zone.offsetAt(early) === before) return early;
  const late = localSeconds - after;
  return zone.offsetAt(late) === after ? late : early;
}
