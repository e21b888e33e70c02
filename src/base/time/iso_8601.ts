/**
 * ISO 8601 dates, times of day and timestamps: one grammar for all callers, checked against the calendar. Durations are in
 * `duration.ts`. Owned here because the platform's `Date.parse` accepts other forms and days such as February 30.
 */
import type { Instant } from "./clock.ts";

/** A time of day; hour 24 only as the end of a day, 24:00:00. */
export interface IsoTime {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanos: number;
}

/** A date, with what else its text names. */
interface IsoDateTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly time?: IsoTime;
  /** Seconds east of UTC. */
  readonly offsetSeconds?: number;
  /** The name of a zone in brackets, as Java writes it after the offset. */
  readonly region?: string;
}

const DATE = "([+-]\\d{4,6}|\\d{4})-(\\d{2})-(\\d{2})";
const TIME = "(\\d{2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d*))?)?";
const OFFSET = "(Z|[+-]\\d{2}(?::?\\d{2}(?::?\\d{2})?)?)";
const TIME_TEXT = new RegExp(`^${TIME}$`);
/** A day may end with a T, as in Amazon Ion. */
const DATE_TEXT = new RegExp(`^${DATE}(?:T(?:${TIME}${OFFSET}?(?:\\[([^\\]]*)\\])?)?)?$`, "i");
const OFFSET_TEXT = /^([+-])(\d{2}):?(\d{2})?:?(\d{2})?$/;
const DAY_MS = 86_400_000;
/** The last instant of the platform, either side of 1970. */
const MAX_INSTANT = 8.64e15;

/** `08:15`, `08:15:30`, `08:15:30.123456789`; further digits are cut. */
export function readIsoTime(text: string): IsoTime | undefined {
  const match = TIME_TEXT.exec(text);
  return match ? timeOf(match.slice(1)) : undefined;
}

/** `2026-01-31`, or with a time, `2026-01-31T08:15:30.123+01:00[Europe/Paris]`; years of more digits have a sign. */
export function readIsoDateTime(text: string): IsoDateTime | undefined {
  const match = DATE_TEXT.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0] = match.slice(1, 4).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (match[4] === undefined) return { year, month, day };
  const time = timeOf(match.slice(4, 8));
  const [offset, region] = match.slice(8);
  const offsetSeconds = offset === undefined ? undefined : offsetOf(offset);
  if (!time || Number.isNaN(offsetSeconds)) return undefined;
  return { year, month, day, time, offsetSeconds, region };
}

/**
 * The instant of a date or timestamp, in UTC without an offset, finer than milliseconds cut; `undefined` for any other
 * text, also for a region without an offset, which only `languages/dates` can resolve.
 */
export function parseInstant(text: string): Instant | undefined {
  const read = readIsoDateTime(text);
  if (!read || read.region !== undefined && read.offsetSeconds === undefined) return undefined;
  const { hour, minute, second, nanos } = read.time ?? { hour: 0, minute: 0, second: 0, nanos: 0 };
  const seconds = (hour * 60 + minute) * 60 + second - (read.offsetSeconds ?? 0);
  const at = epochDays(read.year, read.month, read.day) * DAY_MS + seconds * 1000 + Math.floor(nanos / 1e6);
  return Math.abs(at) <= MAX_INSTANT ? at : undefined;
}

/** `2026-01-31` of a date without time, in the years 0 to 9999. */
export function normalizeDay(text: string): string | undefined {
  const read = readIsoDateTime(text);
  if (!read || read.time) return undefined;
  return utcText(epochDays(read.year, read.month, read.day) * DAY_MS)?.slice(0, 10);
}

/** `08:15:30` of a time of day, with a fraction of 3, 6 or 9 digits when there is one. */
export function normalizeTime(text: string): string | undefined {
  const time = readIsoTime(text);
  if (!time || time.hour === 24) return undefined;
  const fields = [time.hour, time.minute, time.second].map((field) => String(field).padStart(2, "0"));
  return fields.join(":") + fractionText(time.nanos);
}

/** `2026-01-31T08:15:30Z` of a timestamp with an offset, in UTC, with a fraction of 3, 6 or 9 digits when there is one. */
export function normalizeTimestamp(text: string): string | undefined {
  const { time, offsetSeconds } = readIsoDateTime(text) ?? {};
  const at = offsetSeconds === undefined ? undefined : parseInstant(text);
  const utc = at === undefined ? undefined : utcText(at);
  return utc && `${utc}${fractionText(time?.nanos ?? 0)}Z`;
}

/** Days of a month of the proleptic Gregorian calendar; months count from 1. */
export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(2000 + year % 400, month, 0)).getUTCDate();
}

/** Days from 1970-01-01 to a day of the proleptic Gregorian calendar; months count from 1. */
export function epochDays(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS;
}

function timeOf(
  [hourText, minuteText, secondText = "0", fraction = ""]: readonly string[],
): IsoTime | undefined {
  const [hour, minute, second] = [Number(hourText), Number(minuteText), Number(secondText)];
  const nanos = Number(fraction.slice(0, 9).padEnd(9, "0"));
  const isDayEnd = hour === 24 && minute + second + nanos === 0;
  return (hour < 24 || isDayEnd) && minute < 60 && second < 60 ? { hour, minute, second, nanos } : undefined;
}

/** NaN for an offset out of range. */
function offsetOf(text: string): number {
  const [, sign, hours, minutes = "0", seconds = "0"] = OFFSET_TEXT.exec(text) ?? [];
  if (hours === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return NaN;
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return sign === "-" ? -size : size;
}

/** `2026-01-31T08:15:30`; `undefined` outside of the years 0 to 9999. */
function utcText(at: Instant): string | undefined {
  const text = new Date(at).toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 19) : undefined;
}

function fractionText(nanos: number): string {
  return nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/(?:000)+$/, "")}`;
}
